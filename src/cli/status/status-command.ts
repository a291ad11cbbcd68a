/** The command that shows what servers do: requests, imports, storage, and what is wrong. */
import { setTimeout as delay } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Config, readConfig } from '../../config/config.ts';
import { findRunningServers, requireProven } from '../../serve/discovery/running-servers.ts';
import { readSmallFile } from '../../serve/discovery/small-file.ts';
import { isMetricsToken, metricsTokenFile, SECRET_FILE_MAX_BYTES } from '../../serve/secrets/secret-files.ts';
import { print, printJson, style } from '../../terminal/terminal.ts';
import { codeOf, reasonOf } from '../../terms/problem.ts';
import { CommandError, collect, type JsonOption, withJson } from '../options.ts';
import { readAddress } from '../service/service-address.ts';
import { formatSeconds } from './figures.ts';
import { type Scrape, scrape, type Unreachable } from './scrape.ts';
import { showSnapshot } from './screen.ts';
import { type Snapshot, toSnapshot } from './snapshot.ts';

const INTERVAL_SECONDS = 2;
const INTERVAL_MAX_SECONDS = 3_600;
/** Parses seconds, also with decimals. */
function parseSeconds(text: string): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (number <= INTERVAL_MAX_SECONDS) return number;
  throw new InvalidArgumentError(`Seconds from 0 to ${INTERVAL_MAX_SECONDS}, please.`);
}

const isLoopback = (address: string): boolean =>
  /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(address).hostname);

/** Header fields hold no line ends and, of Unicode, only Latin-1. */
function requireSendable(token: string): string {
  if (/^[\x20-\x7e\xa0-\xff]+$/.test(token)) return token;
  throw new CommandError('The token of --token or METRICS_TOKEN holds characters that no header can have.');
}

/** The token that the server's start has made. @throws a sentence when there is none to read */
async function readTokenFile(config: Config): Promise<string> {
  const file = metricsTokenFile(config);
  const advice = 'Run `status` in the directory and as the user of the server, or give --token.';
  const { text } = await readSmallFile(file, SECRET_FILE_MAX_BYTES).catch((error) => {
    if (codeOf(error) === 'ENOENT')
      throw new CommandError(`There is no token for the metrics: ${file} does not exist. ${advice}`);
    throw new CommandError(`${file} cannot be read (${codeOf(error) || reasonOf(error)}). ${advice}`);
  });
  const token = text.trim();
  if (isMetricsToken(token)) return token;
  throw new CommandError(
    `${file} holds no token, which is one line of 16 to 1024 characters. Remove it, and the next start of the server ` +
      'makes one; or give --token.',
  );
}

type StatusOptions = JsonOption & {
  url?: string[];
  token?: string;
  interval: number;
};

/** The servers to read, and the token for them. `prove`: returns the servers that may get it now. */
type Target = { addresses: string[]; token: string; prove(): Promise<string[]> };

/** All servers and workers that run on DATA_DIR. @throws a sentence when there is none */
async function findAddresses(config: Config): Promise<Pick<Target, 'addresses' | 'prove'>> {
  const find = () => findRunningServers(config);
  const found = await find();
  requireProven(found, config);
  const addresses = found.map(({ address }) => address);
  // Before the second scrape again: a server may have been killed, and another program may have got its port.
  const prove = async () =>
    (await find()).flatMap(({ address, state }) => (state === 'alive' ? [address] : []));
  return { addresses, prove };
}

/** @throws a sentence when there is no token for these servers */
async function findTarget({ url, token }: StatusOptions): Promise<Target> {
  const config = readConfig();
  const servers = url ? { addresses: url, prove: async () => url } : await findAddresses(config);
  const given = token ?? config.metricsToken;
  if (given !== undefined) return { ...servers, token: requireSendable(given) };
  const abroad = url?.find((address) => !isLoopback(address));
  // Never send the local one abroad.
  if (abroad !== undefined)
    throw new CommandError(`Give the token of ${abroad} too: --token or METRICS_TOKEN.`);
  return { ...servers, token: await readTokenFile(config) };
}

async function scrapeAll({ addresses, token, prove }: Target): Promise<(Scrape | Unreachable)[]> {
  const proven = new Set(await prove());
  const scrapeProven = async (address: string) =>
    proven.has(address)
      ? await scrape(address, token)
      : { address, reason: `The server at ${address} does not answer.` };
  return await Promise.all(addresses.map(scrapeProven));
}

/** Counts for an interval, without one only what is since the servers' start. */
async function takeSnapshot(target: Target, intervalMs: number): Promise<Snapshot> {
  if (intervalMs === 0) return toSnapshot(await scrapeAll(target));
  const earlier = await scrapeAll(target);
  // The operator hears of servers that are gone now rather than after the interval.
  if (earlier.every((each) => 'reason' in each)) return toSnapshot(earlier);
  await delay(intervalMs);
  return toSnapshot(await scrapeAll(target), earlier);
}

/** Shows on a terminal that a snapshot is being made. Returns the function that removes the line. */
function announceReading(intervalMs: number): () => void {
  const { stderr } = process;
  if (!stderr.isTTY || intervalMs === 0) return () => {};
  stderr.write(style('dim', `Counting for ${formatSeconds(intervalMs / 1000)} …`));
  return () => void stderr.write('\r\u001b[K');
}

async function showStatus(options: StatusOptions): Promise<void> {
  const target = await findTarget(options);
  const intervalMs = options.interval * 1000;
  const endAnnouncement = announceReading(intervalMs);
  const snapshot = await takeSnapshot(target, intervalMs).finally(endAnnouncement);
  if (options.json) printJson(snapshot);
  else for (const line of showSnapshot(snapshot)) print(line);
  if (snapshot.unreachable.length > 0) process.exitCode = 1;
}

export const status = withJson(new Command('status'), 'print JSON, on one line')
  .description(
    'show what servers do now and have done since their start: requests, imports, storage, problems; ' +
      'the exit status is 1 when a server cannot be read',
  )
  .addOption(
    new Option(
      '--url <address>',
      'a server, or a worker with its WORKER_PORT; may be repeated, and all are added up; default: ' +
        'those that run on DATA_DIR',
    )
      .env('KNOWLEDGE_URL')
      .argParser((text: string, before?: string[]) => collect(readAddress(text), before)),
  )
  .option(
    '--token <token>',
    'METRICS_TOKEN of these servers; default: that in DATA_DIR/metrics-token. ' +
      'Other users of this machine see a token that stands here (ps)',
  )
  .option(
    '--interval <seconds>',
    'count the present figures for this long; 0: only those since the start',
    parseSeconds,
    INTERVAL_SECONDS,
  )
  .action(showStatus);
