/** The used part of `oidc-provider`, which has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export interface OAuthClient {
    readonly clientId: string;
    readonly clientName?: string;
    grantTypeAllowed(type: string): boolean;
  }
  export interface Interaction {
    readonly params: Readonly<Record<string, unknown>>;
  }
  export interface Grant {
    readonly jti: string;
    addResourceScope(resource: string, scope: string): void;
    rejectResourceScope(resource: string, scope: string): void;
    save(): Promise<string>;
  }
  export interface Payload extends Readonly<Record<string, unknown>> {
    readonly jti?: string;
    readonly accountId?: string;
    readonly clientId?: string;
    readonly grantId?: string;
  }
  export interface Adapter {
    upsert(id: string, payload: Payload, expiresInSeconds?: number): Promise<void>;
    find(id: string): Promise<Payload | undefined>;
    findByUid(uid: string): Promise<undefined>;
    findByUserCode(code: string): Promise<undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }
  export class Provider {
    constructor(issuer: string, configuration: Readonly<Record<string, unknown>>);
    proxy: boolean;
    silent: boolean;
    readonly Client: { find(id: string): Promise<OAuthClient | undefined> };
    readonly Grant: new (fields: {
      accountId: string;
      clientId: string;
    }) => Grant;
    callback(): RequestListener;
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
    /** @returns the address at which the authorization goes on */
    interactionResult(
      request: IncomingMessage,
      response: ServerResponse,
      result: Readonly<Record<string, unknown>>,
      options?: { mergeWithLastSubmission: boolean },
    ): Promise<string>;
    on(event: 'server_error', listener: (context: unknown, error: unknown) => void): void;
  }
  export const errors: {
    readonly InvalidGrant: new (detail: string) => Error;
    readonly InvalidTarget: new () => Error;
  };
}
