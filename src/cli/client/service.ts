import { ApiClient, type ApiRequest, type ApiResponse, describe } from './api-client.ts';
import { findService, type ServiceOptions } from './find-service.ts';

/** The service refused the request; the message is the service's own. */
export class RefusedError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(response: Pick<ApiResponse, 'status' | 'body'>) {
    super(describe(response));
    this.name = 'RefusedError';
    this.status = response.status;
    this.code = String(response.body.code ?? '');
  }
}

/** A person waits at the screen: a busy service gets this long, an unreachable one no retry. */
const patienceMs = 10_000;

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A path with its query; values that are undefined are left out, lists are given once for each item. */
export function pathWith(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    const values = Array.isArray(value) ? (value as readonly string[]) : [value];
    for (const each of values) parameters.append(name, String(each));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** A running service, for commands that people use. */
export class Service {
  readonly #client: ApiClient;

  /** @throws Error if there is no key */
  constructor(options: ServiceOptions) {
    this.#client = new ApiClient(findService(options));
  }

  /**
   * @throws RefusedError for any status but 2xx, RequestAbandonedError
   * if the service is unreachable or refuses the key
   */
  async ask(request: ApiRequest): Promise<ApiResponse> {
    const response = await this.#client.send({ patienceMs, unreachableRetryMs: 0, ...request });
    if (response.status >= 200 && response.status < 300) return response;
    throw new RefusedError(response);
  }

  /** The body of the response to a GET. */
  async get<T>(path: string, query: Query = {}): Promise<T> {
    return (await this.ask({ path: pathWith(path, query) })).body as T;
  }
}
