/** Reads and checks Compose files without Docker. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { root } from '../../harness/service/service-process.ts';

/** What tests read of a service. */
export type ComposeService = {
  image?: string;
  build?: { context: string };
  command?: string[];
  depends_on?: Record<string, { condition: string }>;
  environment: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  tmpfs?: string[];
  networks?: { default: { aliases: string[] } };
  healthcheck: { test: string[] };
  stop_grace_period?: string;
  read_only?: boolean;
};

export type ComposeFile<Name extends string> = {
  services: Record<Name, ComposeService>;
  volumes: object;
};

/** Compose merges keys, as YAML 1.1 did. */
const schema = CORE_SCHEMA.withTags(mergeTag);

/** Reads a file whose form `lintCompose` checks. */
export const readCompose = <Name extends string>(file: string): ComposeFile<Name> =>
  load(readFileSync(file, 'utf8'), { schema }) as ComposeFile<Name>;

/** Returns what dclint finds in the file, by the Compose specification and its own rules; '': nothing. */
export function lintCompose(file: string): string {
  const dclint = join(root, 'node_modules/.bin/dclint');
  const { status, stdout } = spawnSync(dclint, [file, '--max-warnings', '0'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : stdout || `dclint ended with ${status}`;
}

/** Replaces variables as Compose does, in a shell where they have these values. */
export const substitute = (text: string, values: Record<string, string> = {}): string =>
  text
    .replaceAll(
      /(?<!\$)\$\{(\w+):([?-])([^}]*)\}/g,
      (_variable, name: string, kind: string, rest: string) => values[name] ?? (kind === '-' ? rest : ''),
    )
    .replaceAll('$$', '$');
