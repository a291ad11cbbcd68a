/**
 * Follows the Dockerfile without Docker: each stage is a layer over this machine's root, which stands in for the base
 * image, and its commands run there; then the image's command, in the read-only whole. Linux's mounts need root.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../harness/service-process.ts';

/** Why the image can not be followed here; undefined: it can. */
export const imageMissing =
  process.platform !== 'linux' ||
  process.getuid?.() !== 0 ||
  spawnSync('unshare', ['--mount', 'true']).status !== 0
    ? 'only root on Linux may mount'
    : undefined;

/** An instruction and what follows it, lines joined. */
type Instruction = { name: string; value: string };

export async function readDockerfile(): Promise<Instruction[]> {
  const text = await readFile(join(root, 'Dockerfile'), 'utf8');
  return text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, name = '', value = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
      return { name, value };
    });
}

/** The value of the only instruction of this name. @throws when there is another number of them. */
function onlyValue(instructions: Instruction[], name: string): string {
  const found = instructions.filter((instruction) => instruction.name === name);
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} × ${name}`);
  return found[0].value;
}

/** What the context of the build has: the files that .dockerignore leaves, in the forms that ours uses. */
async function readContextRules(): Promise<{ left: string[]; leftOut: string[] }> {
  const lines = (await readFile(join(root, '.dockerignore'), 'utf8')).split('\n');
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#') && line !== '*');
  return {
    left: rules.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1)),
    leftOut: rules.filter((rule) => !rule.startsWith('!')),
  };
}

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** The shell's commands that lay a new layer over the root, with what the base image has beside it. */
const beginStage = (stage: string): string[] => [
  `mkdir -p ${stage}/upper ${stage}/work ${stage}/root`,
  `mount -t overlay overlay -o lowerdir=/,upperdir=${stage}/upper,workdir=${stage}/work ${stage}/root`,
  `mount --bind /proc ${stage}/root/proc`,
  `mount --rbind /dev ${stage}/root/dev`,
  `grep -q '^node:' ${stage}/root/etc/passwd || echo 'node:x:1000:1000::/home/node:/bin/sh' >> ${stage}/root/etc/passwd`,
  `grep -q '^node:' ${stage}/root/etc/group || echo 'node:x:1000:' >> ${stage}/root/etc/group`,
  `install -m 755 ${quote(process.execPath)} ${stage}/root/usr/local/bin/node`,
];

const copyFromContext = (context: string, stage: string, workdir: string, value: string): string[] => {
  const paths = value.split(' ');
  const target = paths.pop() ?? '.';
  return paths.flatMap((path) => [
    `mkdir -p ${stage}/root${join(workdir, target)}`,
    // Docker copies what a directory holds, and a file itself.
    `cp -a ${context}/${path}$([ -d ${context}/${path} ] && echo /.) ${stage}/root${join(workdir, target)}`,
  ]);
};

/** The commands that build the image in `folder`; without `installs`, dependencies are those of the project. */
async function buildCommands(
  folder: string,
  instructions: Instruction[],
  installs: boolean,
): Promise<string[]> {
  const { left, leftOut } = await readContextRules();
  const context = join(folder, 'context');
  const commands = [
    'set -e',
    `mkdir -p ${context}`,
    `cd ${quote(root)}`,
    `cp -a --parents ${left.join(' ')} ${context}`,
    `cd ${context}`,
    `for path in ${leftOut.map((rule) => rule.replace(/^src\/\*\*\/(.*)$/, '$(find src -name "$1")')).join(' ')}; do rm -rf $path; done`,
  ];
  let stage = '';
  let workdir = '/';
  const stages = new Map<string, string>();
  for (const { name, value } of instructions) {
    if (name === 'FROM') {
      const [, as = 'final'] = / AS (\w+)$/.exec(value) ?? [];
      stage = join(folder, as);
      stages.set(as, stage);
      commands.push(...beginStage(stage));
    } else if (name === 'WORKDIR') {
      workdir = value;
      commands.push(`mkdir -p ${stage}/root${workdir}`);
    } else if (name === 'COPY' && value.startsWith('--from=')) {
      const [, from = '', path = '', target = ''] = /^--from=(\w+) (\S+) (\S+)$/.exec(value) ?? [];
      const to = `${stage}/root${join(workdir, target)}`;
      commands.push(
        `mkdir -p ${to}`,
        installs
          ? `cp -a ${stages.get(from)}/root${path}/. ${to}`
          : `mount --bind ${quote(join(root, 'node_modules'))} ${to}`,
      );
    } else if (name === 'COPY') commands.push(...copyFromContext(context, stage, workdir, value));
    else if (name === 'RUN' && (installs || !value.startsWith('npm ci')))
      commands.push(`chroot ${stage}/root sh -c ${quote(`cd ${workdir} && ${value}`)} >&2`);
  }
  return commands;
}

/** The environment that ENV gives, by name. */
function environmentOf(instructions: Instruction[]): Record<string, string> {
  const pairs = onlyValue(instructions, 'ENV').split(' ');
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string])); // a name and a value each
}

/** The commands that make the root read-only but for volume and /tmp, and become the image's command as its user. */
function runCommands(
  folder: string,
  instructions: Instruction[],
  environment: Record<string, string>,
): string[] {
  const rootDirectory = join(folder, 'final', 'root');
  const command: string[] = [
    ...JSON.parse(onlyValue(instructions, 'ENTRYPOINT')),
    ...JSON.parse(onlyValue(instructions, 'CMD')),
  ];
  const variables = Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin', ...environment });
  const workdir = instructions.findLast(({ name }) => name === 'WORKDIR')?.value ?? '/';
  const user = onlyValue(instructions, 'USER');
  return [
    `du -sm ${folder}/final/upper${workdir} | sed 's/^/MiB /'`,
    `mkdir -p ${rootDirectory}${onlyValue(instructions, 'VOLUME')}`,
    `mount -o remount,ro ${rootDirectory}`,
    `mount --bind ${folder}/volume ${rootDirectory}${onlyValue(instructions, 'VOLUME')}`,
    `mount -t tmpfs tmpfs ${rootDirectory}/tmp`,
    `exec chroot --userspec=${user}:${user} ${rootDirectory} env -i ${variables.map(([name, value]) => quote(`${name}=${value}`)).join(' ')} \
      sh -c ${quote(`cd ${workdir}; ! touch ./x /x 2>/dev/null || exit 9; exec "$@"`)} sh ${command.map(quote).join(' ')}`,
  ];
}

export type RunningImage = {
  address: string;
  /** Where the volume's files are. */
  volume: string;
  /** MiB of what the image has beside its base. */
  sizeMiB: number;
  /** Runs the health check; whether it says that the container is healthy. */
  isHealthy(): Promise<boolean>;
  /** By the image's own signal; gives the exit code. */
  stop(): Promise<number | null>;
};

async function readOutput(lines: AsyncIterable<string>): Promise<{ address: string; sizeMiB: number }> {
  let sizeMiB = 0;
  for await (const line of lines) {
    sizeMiB = Number(/^MiB (\d+)/.exec(line)?.[1] ?? sizeMiB);
    const address = /answers at (http:\S+)/.exec(line)?.[1];
    if (address !== undefined) return { address, sizeMiB };
  }
  throw new Error('the image ended before it answered');
}

/** Builds the image, runs it with these variables beside its own, and removes all of it after `use`. */
export async function withImage(
  { installs, variables }: { installs: boolean; variables: Record<string, string> },
  use: (image: RunningImage) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'knowledge-retrieval-image-'));
  const volume = join(folder, 'volume');
  await mkdir(volume);
  await chown(volume, 1000, 1000);
  const instructions = await readDockerfile();
  const environment = { ...environmentOf(instructions), ...variables };
  const commands = [
    ...(await buildCommands(folder, instructions, installs)),
    ...runCommands(folder, instructions, environment),
  ];
  const child = spawn('unshare', ['--mount', 'sh', '-c', commands.join('\n')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill(onlyValue(instructions, 'STOPSIGNAL') as NodeJS.Signals); // what Docker sends
    return ((await exited) as [number | null])[0]; // the event's first argument
  };
  try {
    const { address, sizeMiB } = await readOutput(createInterface(child.stdout));
    const [, check = ''] = /CMD (\[.*\])$/.exec(onlyValue(instructions, 'HEALTHCHECK')) ?? [];
    const isHealthy = async () => {
      const [, ...args]: string[] = JSON.parse(check);
      const [code] = await once(spawn(process.execPath, args, { env: environment }), 'exit');
      return code === 0;
    };
    await use({ address, volume, sizeMiB, isHealthy, stop });
  } finally {
    if (child.exitCode === null && child.signalCode === null) await stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
