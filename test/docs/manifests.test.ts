import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { program } from '../../src/cli/program.ts';
import { parseConfig } from '../../src/config/load.ts';
import { settings, variableOf } from '../../src/config/settings.ts';
import { readPage, repository } from '../support/pages.ts';

const dockerfile = readPage('deploy/Dockerfile');
const guide = readPage('docs/deploy.md');
const { version } = JSON.parse(readPage('package.json')) as { version: string };
const exposedPort = Number(/^EXPOSE (\d+)$/m.exec(dockerfile)?.[1]);
const volume = /^VOLUME (\S+)$/m.exec(dockerfile)?.[1];
const variables = new Set(Object.keys(settings).map((name) => variableOf(name as keyof typeof settings)));
const { paths } = JSON.parse(readPage('docs/openapi.json')) as {
  paths: Record<string, { get?: { tags: string[] } }>;
};
/** Paths that need no key and say how the service is. */
const probePaths = Object.entries(paths)
  .filter(([, { get }]) => get?.tags.includes('Public'))
  .map(([path]) => path);

type Loose = Record<string, never>;
interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom?: readonly { readonly secretRef: { readonly name: string } }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[] | undefined;
  readonly securityContext: Loose;
  readonly resources: Loose;
}
interface Pod {
  readonly containers: readonly Container[];
  readonly securityContext: Loose;
  readonly volumes?: readonly {
    readonly name: string;
    readonly persistentVolumeClaim?: { readonly claimName: string };
  }[];
}
interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has another form
  readonly spec: any;
}

const apiVersions: Readonly<Record<string, string>> = {
  Service: 'v1',
  PersistentVolumeClaim: 'v1',
  StatefulSet: 'apps/v1',
  Deployment: 'apps/v1',
  PodDisruptionBudget: 'policy/v1',
  CronJob: 'batch/v1',
};

function manifestsOf(file: string): Manifest[] {
  return parseAllDocuments(readPage(`deploy/kubernetes/${file}`)).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  });
}

/** The template of the pods that a manifest makes, if any. */
function podOf({ kind, spec }: Manifest): { template: { metadata: Loose; spec: Pod } } | undefined {
  if (kind === 'CronJob') return spec.jobTemplate.spec;
  return 'template' in spec ? spec : undefined;
}

const podsOf = (file: string) =>
  manifestsOf(file).flatMap((manifest) => {
    const pod = podOf(manifest)?.template.spec;
    return pod ? [{ manifest, pod }] : [];
  });

const files = ['sqlite.yaml', 'postgres.yaml', 'backup-to-s3.yaml'];

describe.each(files)('deploy/kubernetes/%s', (file) => {
  it('the Kubernetes manifest has objects of kinds that Kubernetes knows, each with a name of its own', () => {
    const objects = manifestsOf(file);
    for (const { kind, apiVersion } of objects) expect([kind, apiVersion]).toEqual([kind, apiVersions[kind]]);
    const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('the Kubernetes manifest runs the image of this version, as the user of the image, without rights', () => {
    for (const { pod } of podsOf(file)) {
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
      for (const { image, securityContext, resources } of pod.containers) {
        if (image.includes('memoryd')) expect(image).toBe(`registry.example.com/memoryd:${version}`);
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(resources).toMatchObject({ limits: { memory: expect.any(String) } });
      }
    }
  });

  it('the Kubernetes manifest mounts volumes that are there, and claims that are made', () => {
    const objects = manifestsOf(file);
    const made = [
      ...objects.filter(({ kind }) => kind === 'PersistentVolumeClaim').map(({ metadata }) => metadata.name),
      ...objects.flatMap(({ kind, metadata, spec }) =>
        kind === 'StatefulSet'
          ? spec.volumeClaimTemplates.map((claim: Manifest) => `${claim.metadata.name}-${metadata.name}-0`)
          : [],
      ),
      // Those of the nightly backup, which is applied first.
      ...(file === 'backup-to-s3.yaml' ? ['memoryd-backups'] : []),
    ];
    for (const { manifest, pod } of podsOf(file)) {
      const templates: Manifest[] = manifest.spec.volumeClaimTemplates ?? [];
      const volumes = [...(pod.volumes ?? []), ...templates.map(({ metadata }) => ({ name: metadata.name }))];
      const mounts = pod.containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name));
      expect(mounts.filter((name) => !volumes.some((given) => given.name === name))).toEqual([]);
      const claims = (pod.volumes ?? []).flatMap(
        ({ persistentVolumeClaim: claim }) => claim?.claimName ?? [],
      );
      expect(claims.filter((name) => !made.includes(name))).toEqual([]);
    }
  });

  it('the Kubernetes manifest selects pods by labels that they have', () => {
    const objects = manifestsOf(file);
    for (const manifest of objects) {
      const expected = manifest.spec.selector?.matchLabels ?? manifest.spec.selector;
      if (!expected) continue;
      const labels = objects.map((other) => podOf(other)?.template.metadata.labels).filter(Boolean);
      expect(labels).toContainEqual(expected);
    }
  });

  it('the Kubernetes manifest sets settings that exist, and takes secrets that the guide makes', () => {
    for (const { pod } of podsOf(file)) {
      for (const { image, env = [], envFrom = [] } of pod.containers) {
        const names = env.map(({ name }) => name);
        if (image.includes('memoryd')) expect(names.filter((name) => !variables.has(name))).toEqual([]);
        for (const { secretRef } of envFrom)
          expect(guide).toContain(`create secret generic ${secretRef.name} `);
      }
    }
  });

  it('the Kubernetes manifest gives commands that memoryd has', async () => {
    const { commands } = await program();
    for (const { pod } of podsOf(file)) {
      for (const { image, args } of pod.containers) {
        if (!image.includes('/memoryd:') || !args) continue;
        const command = commands.find((each) => each.name() === args[0]);
        const options = args.filter((arg) => arg.startsWith('--'));
        expect(options.filter((option) => !command?.options.some(({ long }) => long === option))).toEqual([]);
        expect(command?.name()).toBe(args[0]);
      }
    }
  });
});

describe.each(['sqlite.yaml', 'postgres.yaml'])('the service of deploy/kubernetes/%s', (file) => {
  const [{ pod }] = podsOf(file).filter(({ manifest }) => manifest.kind !== 'CronJob');
  const [container] = pod.containers as [
    Container & Record<string, { httpGet: { path: string; port: string } }>,
  ];

  it('the service in Kubernetes is asked whether it lives and works at paths that answer without a key', () => {
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { path, port } = container[probe].httpGet;
      expect(probePaths).toContain(path);
      expect(container.ports?.map(({ name }) => name)).toContain(port);
    }
    expect(container.livenessProbe.httpGet.path).toBe('/livez');
    expect(container.readinessProbe.httpGet.path).toBe('/health');
  });

  it('the service in Kubernetes listens where the image does', () => {
    expect(container.ports).toEqual([{ name: 'http', containerPort: exposedPort }]);
  });
});

describe.each(['compose.yaml', 'compose.postgres.yaml'])('deploy/%s', (file) => {
  const { services, volumes } = parse(readPage(`deploy/${file}`));
  const { memoryd } = services;

  it('the compose file builds the image of this version from a Dockerfile that is there', () => {
    expect(memoryd.image).toBe(`memoryd:${version}`);
    const context = normalize(join(repository, 'deploy', memoryd.build.context));
    expect(existsSync(join(context, memoryd.build.dockerfile))).toBe(true);
  });

  it('the compose file publishes the port of the image to this machine, and keeps its volume', () => {
    expect(memoryd.ports).toEqual([`127.0.0.1:3000:${exposedPort}`]);
    expect(memoryd.volumes).toEqual([`memoryd-data:${volume}`]);
    expect(Object.keys(volumes)).toContain('memoryd-data');
  });

  it('the compose file takes settings that exist, from a file that git ignores', () => {
    const set = Object.keys(memoryd.environment ?? {});
    expect(set.filter((name) => !variables.has(name))).toEqual([]);
    const [{ path }] = memoryd.env_file;
    expect(
      execFileSync('git', ['check-ignore', `deploy/${path}`], { cwd: repository })
        .toString()
        .trim(),
    ).toBe(`deploy/${path}`);
  });
});

it('deploy/memoryd.env.example names settings that exist, with values that are accepted', () => {
  const lines = readPage('deploy/memoryd.env.example').matchAll(/^#?(MEMORYD_\w+)=(.*)$/gm);
  const named = [...lines].map(([, name, value]) => ({ name, value }));
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ name }) => !variables.has(name))).toEqual([]);
  const given = named.filter(({ value }) => value !== '').map(({ name, value }) => [name, value]);
  expect(parseConfig(Object.fromEntries(given))).toMatchObject({ metricsPublic: true, embedder: 'openai' });
});

it('the systemd units run commands of memoryd from where the guide installs it', () => {
  for (const unit of ['memoryd.service', 'memoryd-backup.service']) {
    const [, main] = /^ExecStart=\/usr\/bin\/node (\S+) /m.exec(readPage(`deploy/${unit}`)) ?? [];
    expect(main).toBe('/opt/memoryd/dist/main.js');
  }
  const backups = /backup --keep 14 (\S+)/.exec(readPage('deploy/memoryd-backup.service'))?.[1];
  expect(guide).toContain(`install -d -o memoryd -g memoryd -m 0700 ${backups}`);
  expect(readPage('deploy/memoryd-backup.service')).toMatch(new RegExp(`^ReadWritePaths=.*${backups}`, 'm'));
});
