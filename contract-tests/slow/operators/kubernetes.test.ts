/** scripts/deploy/kubernetes: its form by the schemas of Kubernetes, and that it fits the image and the settings. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import ts from 'typescript';
import { expect, inject, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { spawnCommand } from '../../harness/service/command-line.ts';
import { environmentOf, root } from '../../harness/service/service-process.ts';
import { imageEnvironment } from './docker-image.ts';

const folder = join(root, 'scripts/deploy/kubernetes');

type Manifest = { apiVersion: string; kind: string; metadata: { name: string } };
type Probe = { httpGet: { path: string; port: string }; periodSeconds: number; failureThreshold: number };
type Variable = { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } };
type Container = {
  image: string;
  args: string[];
  env: Variable[];
  envFrom?: { configMapRef: { name: string } }[];
  ports: { name: string; containerPort: number }[];
  readinessProbe: Probe;
  livenessProbe: Probe;
  startupProbe: Probe;
  volumeMounts: { mountPath: string }[];
  securityContext: { readOnlyRootFilesystem: boolean };
};
type Deployment = Manifest & {
  spec: {
    replicas?: number;
    strategy: { rollingUpdate: { maxUnavailable: number; maxSurge: number } };
    template: {
      metadata: { labels: object };
      spec: {
        terminationGracePeriodSeconds: number;
        initContainers: Container[];
        containers: [Container];
        securityContext: { runAsUser: number };
      };
    };
  };
};

// The first test checks the form.
const read = (file: string): Manifest[] => loadAll(readFileSync(join(folder, file), 'utf8')) as Manifest[];

type Kustomization = { resources: string[]; images: { name: string; newTag: string }[] };
const [kustomization] = read('kustomization.yaml') as (Manifest & Kustomization)[];
const resources = kustomization?.resources ?? [];
const manifests = resources.flatMap(read);

/** The manifest of this kind and name, of which each exists once. */
function find<Kind>(kind: string, name: string): Kind {
  const found = manifests.filter((each) => each.kind === kind && each.metadata.name === name);
  expect(found, `${kind} ${name}`).toHaveLength(1);
  return found[0] as Kind; // its form has been checked
}

const server = find<Deployment>('Deployment', 'server');
const worker = find<Deployment>('Deployment', 'worker');
const settings = find<Manifest & { data: Record<string, string> }>('ConfigMap', 'knowledge-retrieval').data;

/** What TypeScript says of the manifest, as the argument of its model: wrong types, missing and unknown fields. */
function typeProblems(all: Manifest[]): string[] {
  const name = join(root, 'contract-tests/slow/operators/manifests.ts');
  const text = all
    .map(
      ({ apiVersion, kind, ...each }, i) =>
        `import { ${kind} as Model${i} } from 'kubernetes-models/${apiVersion}';\n` +
        `new Model${i}(${JSON.stringify(each)});\n`,
    )
    .join('');
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ESNext,
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (path) => path === name || fileExists(path);
  host.getSourceFile = (path, ...others) =>
    path === name ? ts.createSourceFile(path, text, others[0]) : getSourceFile(path, ...others);
  const program = ts.createProgram([name], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

test('each manifest has the form that Kubernetes demands, without unknown fields', async () => {
  expect(resources.toSorted()).toEqual(readdirSync(folder).filter((name) => name !== 'kustomization.yaml'));
  const mistyped = { ...server, spec: { ...server.spec, replcas: 2 } };
  expect(typeProblems([...manifests, mistyped])).toEqual([
    expect.stringContaining(`'"replcas"' does not exist in type 'IDeploymentSpec'`),
  ]);
  for (const each of manifests) {
    const models = await import(/* @vite-ignore */ `kubernetes-models/${each.apiVersion}`);
    new models[each.kind](each).validate();
  }
});

test('the image is the one of this version, and everything refers to something that exists', () => {
  const [image] = kustomization?.images ?? [];
  expect(image?.newTag).toBe(manifest.version);
  for (const { spec } of [server, worker]) {
    const { initContainers, containers } = spec.template.spec;
    for (const each of [...initContainers, ...containers]) {
      expect(each.image).toBe(image?.name);
      for (const { configMapRef } of each.envFrom ?? []) find('ConfigMap', configMapRef.name);
    }
  }
  type Selecting = { spec: { selector: { matchLabels?: object } & object } };
  const { labels } = server.spec.template.metadata;
  expect(find<Selecting>('Service', 'server').spec.selector).toEqual(labels);
  expect(find<Selecting>('PodDisruptionBudget', 'server').spec.selector.matchLabels).toEqual(labels);
  expect(worker.spec.template.metadata.labels).not.toEqual(labels);
});

test.each([
  ['server', server, ['serve', '--no-worker']],
  ['worker', worker, ['serve', '--worker']],
])(
  '%s: settings that the service accepts, secrets by reference only, ports and probes of the image',
  async (_name, deployment, args) => {
    const { containers, initContainers, securityContext } = deployment.spec.template.spec;
    const [container] = containers;
    expect([initContainers.map((each) => each.args), container.args]).toEqual([[['migrate']], args]);
    const secrets = container.env.map(({ name, valueFrom }) => [name, valueFrom?.secretKeyRef.key]);
    expect(secrets.map(([name]) => name)).toEqual(secrets.map(([, key]) => key));
    const comment = readFileSync(join(folder, 'kustomization.yaml'), 'utf8');
    for (const [name] of secrets) expect(comment).toContain(`--from-literal=${name}=`);
    const settingsPage = readFileSync(join(root, 'docs/settings.md'), 'utf8');
    for (const name of [...Object.keys(settings), ...secrets.map(([name]) => name)])
      if (!name?.startsWith('AWS_')) expect(settingsPage).toContain(`| \`${name}\` |`);

    const environment = environmentOf(inject('dataDirectory'), {
      ...settings,
      DATABASE_URL: 'postgres://knowledge:secret@postgres.example.com/knowledge',
      UPLOAD_SECRET: 'b1'.repeat(32),
    });
    const { output } = await spawnCommand(environment, 'doctor', '--no-server');
    expect(output).toContain('ok     settings\n');

    const { PORT, DATA_DIR } = imageEnvironment();
    const [port] = container.ports;
    const expected = deployment === server ? PORT : settings.WORKER_PORT;
    expect(port?.containerPort).toBe(Number(expected));
    const { readinessProbe, livenessProbe, startupProbe } = container;
    const paths = [readinessProbe, livenessProbe, startupProbe].map(({ httpGet }) => httpGet);
    expect(paths).toEqual(['/readyz', '/livez', '/livez'].map((path) => ({ path, port: port?.name })));
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual([DATA_DIR, '/tmp']);
    expect([container.securityContext.readOnlyRootFilesystem, securityContext.runAsUser]).toEqual([
      true,
      1000,
    ]);
  },
);

test('an update fails no request: never fewer pods, and time for endpoints, requests and jobs', () => {
  const delay = Number(settings.SHUTDOWN_DELAY_SECONDS);
  const { strategy, template } = server.spec;
  expect(strategy.rollingUpdate.maxUnavailable).toBe(0);
  const { periodSeconds, failureThreshold } = template.spec.containers[0].readinessProbe;
  expect(delay).toBeGreaterThan(periodSeconds * failureThreshold);
  // The service promises to stop within ten seconds.
  expect(template.spec.terminationGracePeriodSeconds).toBeGreaterThan(delay + 10);
  expect(worker.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(10);
});

test('all pods together take no more connections than the comment says', () => {
  const { spec } = find<{ spec: { maxReplicas: number } }>('HorizontalPodAutoscaler', 'server');
  const pods = [
    spec.maxReplicas + server.spec.strategy.rollingUpdate.maxSurge,
    (worker.spec.replicas ?? 0) + worker.spec.strategy.rollingUpdate.maxSurge,
  ];
  const connections = (Number(settings.DATABASE_POOL_SIZE) + 2) * ((pods[0] ?? 0) + (pods[1] ?? 0));
  expect(readFileSync(join(folder, 'settings.yaml'), 'utf8')).toContain(`are\n  # ${connections}:`);
});
