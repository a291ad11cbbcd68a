/** Docker, and the linter of its Dockerfile, where a machine has them. */
import { spawnSync } from 'node:child_process';
import { findProgram } from '../../harness/service/proxies.ts';

/** The linter of Dockerfiles; undefined: it is not installed. */
export const hadolint = process.env.HADOLINT ?? findProgram('hadolint');

/** The version of the daemon; '' where none answers. */
const daemon = (): string =>
  spawnSync('docker', ['info', '--format', '{{.ServerVersion}}'], { encoding: 'utf8', timeout: 60_000 })
    .stdout ?? '';

/** Why Docker cannot build and run the image on this machine; undefined: it can. */
export const dockerMissing = daemon().trim() === '' ? 'no daemon answers `docker info`' : undefined;
