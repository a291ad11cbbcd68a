/** Starts the proxies of docs/proxy.md, with the configurations that stand there. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { end, root } from './service-process.ts';

/** Debian installs servers where only root's PATH leads. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
const START_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 50;

export const PROXIES = ['nginx', 'caddy', 'haproxy'] as const;
export type ProxyName = (typeof PROXIES)[number];

/** The file of a program; undefined where it is not installed. */
export const findProgram = (name: string): string | undefined =>
  FOLDERS.map((folder) => join(folder, name)).find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** The configuration in docs/proxy.md, for TLS or for a path too. */
function readConfiguration(name: ProxyName, isBelowPath: boolean): string {
  const page = readFileSync(join(root, 'docs/proxy.md'), 'utf8');
  const blockOf = (language: string) => page.split(`\`\`\`${language}\n`)[1]?.split('\n```')[0] ?? '';
  const whole = blockOf(name);
  if (!isBelowPath) return whole;
  const part = blockOf(`${name}-path`);
  if (name === 'nginx') return whole.replace(/ {4}location \/ \{[^}]*\}/, () => part);
  if (name === 'caddy') return part;
  return whole
    .replace('default_backend knowledge', 'use_backend knowledge if { path_beg /knowledge/ }')
    .replace(/backend knowledge\n(?: .*\n?)*$/, () => part);
}

/** Makes a certificate for localhost, in the files that the configurations name. */
export function makeCertificate(directory: string): string {
  const [key, certificate] = [join(directory, 'search.key'), join(directory, 'search.crt')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...names];
  execFileSync('openssl', [...request, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  writeFileSync(join(directory, 'search.pem'), readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
  return certificate;
}

export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // of TCP
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The program's whole configuration around the part from the page, at the ports of the test. */
function completeConfiguration(
  name: ProxyName,
  text: string,
  { directory, port, servicePort }: { directory: string; port: number; servicePort: string },
): string {
  const adapted = text
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${servicePort}`)
    .replaceAll('/etc/ssl', directory)
    .replaceAll('search.example.org', name === 'caddy' ? `https://localhost:${port}` : 'localhost')
    .replaceAll(/(listen |bind :)443/g, (_, before) => `${before}${port}`);
  if (name === 'caddy') return `{\n  admin off\n  auto_https off\n}\n${adapted}\n`;
  if (name === 'haproxy') return `${adapted}\n`;
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (each) => `${each}_temp_path ${directory}/${each};`,
  );
  return `daemon off; pid ${directory}/nginx.pid; error_log stderr; ${process.getuid?.() === 0 ? 'user root;' : ''}
    events {} http { access_log off; ${folders.join(' ')}\n${adapted}\n}\n`;
}

const argumentsOf = (name: ProxyName, file: string, directory: string): string[] =>
  ({
    nginx: ['-e', 'stderr', '-p', directory, '-c', file],
    caddy: ['run', '--adapter', 'caddyfile', '--config', file],
    haproxy: ['-db', '-f', file],
  })[name];

async function untilListening(port: number, child: ChildProcess): Promise<void> {
  const stopsAtMs = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < stopsAtMs && child.exitCode === null) {
    const { connect } = await import('node:net');
    const socket = connect(port, 'localhost');
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    });
    socket.destroy();
    if (isOpen) return;
    await delay(POLL_INTERVAL_MS);
  }
  throw new Error('the proxy does not start');
}

/** Starts a proxy with its configuration in docs/proxy.md before the service at `servicePort`. */
export async function startProxy(
  name: ProxyName,
  place: { directory: string; port: number; servicePort: string },
  isBelowPath: boolean,
): Promise<{ stop(): Promise<void> }> {
  const { directory, port } = place;
  const file = join(directory, `${name}${isBelowPath ? '-path' : ''}.conf`);
  writeFileSync(file, completeConfiguration(name, readConfiguration(name, isBelowPath), place));
  const child = spawn(findProgram(name) ?? name, argumentsOf(name, file, directory), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH, HOME: directory },
  });
  const complaints: string[] = [];
  child.stderr.on('data', (bytes) => complaints.push(String(bytes)));
  const stop = () => end(child, 'SIGTERM');
  await untilListening(port, child).catch(async (error) => {
    await stop();
    throw new Error(`${error.message}: ${complaints.join('')}`);
  });
  return { stop };
}
