/** The command that shows what servers do: requests, imports, storage, and what is wrong. */
import { setTimeout as delay } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Config, readConfig } from '../../config/config.ts';
import { findRunningServers, requireProven } from '../../serve/discovery/running-servers.ts';
import { readSmallFile } from '../../serve/discovery/small-file.ts';
import { isMetricsToken, metricsTokenFile, SECRET_FILE_MAX_BYTES } from '../../serve/secrets/secret-files.ts';
import { hasReader, printJson, style } from '../../terminal/terminal.ts';
import { codeOf, reasonOf } from '../../terms/problem.ts';
import { CommandError, collect, type JsonOption, withJson } from '../options.ts';
import { readAddress } from '../service/service-address.ts';
import { formatSeconds } from './figures.ts';
import { type Reading, toReading } from './reading.ts';
import { type Scrape, scrape, type Unreachable } from './scrape.ts';
import { showReading } from './screen.ts';
import { openPlainScreen, openScreen } from './watch-screen.ts';

const INTERVAL_SECONDS = 2;
const INTERVAL_MAX_SECONDS = 3_600;
/** Below this, most intervals have no request, and the readings themselves become the load. */
const WATCH_MIN_SECONDS = 0.5;

/** The command's own line and the next prompt stay on the screen too. */
const PROMPT_ROWS = 2;

/** Parses seconds, also with decimals. */
const seconds = (min: number) => (text: string) => {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= INTERVAL_MAX_SECONDS) return number;
  throw new InvalidArgumentError(`Seconds from ${min} to ${INTERVAL_MAX_SECONDS}, please.`);
};

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
  watch?: number | true;
};

/** The servers to read, and the token for them. `prove`: returns those of them that may get it now. */
type Target = { addresses: string[]; token: string; prove(): Promise<string[]> };

/** All servers and workers that run on DATA_DIR. @throws a sentence when there is none */
async function findAddresses(config: Config): Promise<Pick<Target, 'addresses' | 'prove'>> {
  const find = () => findRunningServers(config);
  const found = await find();
  requireProven(found, config);
  const addresses = found.map(({ address }) => address);
  // Before each reading again: a watch goes on after a server has been killed, and another program may get its port.
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

async function scrapeAll(
  { addresses, token, prove }: Target,
  signal: AbortSignal,
): Promise<(Scrape | Unreachable)[]> {
  const proven = new Set(await prove());
  const scrapeProven = async (address: string) =>
    proven.has(address)
      ? await scrape(address, { token, signal })
      : { address, reason: `The server at ${address} does not answer.` };
  return await Promise.all(addresses.map(scrapeProven));
}

/** The room for a reading; undefined: standard output is no terminal. */
function terminalSize(): { rows: number; columns: number } | undefined {
  const { isTTY, rows, columns } = process.stdout;
  return isTTY ? { rows: rows - PROMPT_ROWS, columns } : undefined;
}

/** Yields a reading for every interval, without end. The first comes after one interval; `intervalMs` 0: at once. */
async function* readAgain(target: Target, intervalMs: number, signal: AbortSignal): AsyncGenerator<Reading> {
  let earlier: (Scrape | Unreachable)[] = [];
  if (intervalMs > 0) earlier = await scrapeAll(target, signal);
  for (;;) {
    // A server that is gone is asked again; the operator hears of it now rather than after the interval.
    if (earlier.length > 0 && earlier.every((each) => 'reason' in each)) yield toReading(earlier);
    await delay(intervalMs, undefined, { signal });
    const results = await scrapeAll(target, signal);
    yield toReading(results, earlier);
    earlier = results;
  }
}

/** Shows on a terminal that a reading is being made. Returns the function that removes the line. */
function announceReading(intervalMs: number): () => void {
  const { stderr } = process;
  if (!stderr.isTTY || intervalMs === 0) return () => {};
  stderr.write(style('dim', `Counting for ${formatSeconds(intervalMs / 1000)} …`));
  return () => void stderr.write('\r\u001b[K');
}

async function showOnce(readings: AsyncIterable<Reading>, { json, interval }: StatusOptions): Promise<void> {
  const endAnnouncement = announceReading(interval * 1000);
  for await (const reading of readings) {
    endAnnouncement();
    if (json) printJson(reading);
    else openPlainScreen().draw(showReading(reading, { size: terminalSize() }));
    if (reading.unreachable.length > 0) process.exitCode = 1;
    return;
  }
}

/** The head of a watch: what it is, and that it goes on. */
function headOf({ time, servers }: Reading, everySeconds: number): string {
  const state = servers.length === 0 ? 'trying again' : 'reading';
  return style('dim', `${time.slice(11, 19)} UTC, ${state} every ${everySeconds} s; Ctrl-C ends`);
}

async function showForever(
  readings: AsyncIterable<Reading>,
  { json, everySeconds }: JsonOption & { everySeconds: number },
): Promise<void> {
  const isTerminal = process.stdout.isTTY && !json;
  const screen = isTerminal ? openScreen(process.stdout) : openPlainScreen();
  let first: Reading | undefined;
  try {
    if (isTerminal) screen.draw([style('dim', `Counting for ${everySeconds} s …`)]);
    for await (const reading of readings) {
      if (!hasReader()) return;
      if (reading.storage !== null) first ??= reading;
      const size = isTerminal ? terminalSize() : undefined;
      if (json) printJson(reading);
      else screen.draw([headOf(reading, everySeconds), ...showReading(reading, { first, size })]);
    }
  } finally {
    screen.end();
  }
}

/** Runs `act` with a signal that aborts at Ctrl-C or SIGTERM, which end `act` without an error. */
async function untilInterrupted(act: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, interrupt);
  try {
    await act(interrupted.signal);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
  }
}

export const status = withJson(new Command('status'), 'print JSON, one line for each reading')
  .description(
    'show what servers do now and have done since their start: requests, imports, storage, problems; ' +
      'the exit status is 1 when a server cannot be read',
  )
  .addOption(
    new Option(
      '--url <address>',
      'a server, or a worker with its WORKER_PORT; may be repeated, and all are added up; default: those that run on DATA_DIR',
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
    seconds(0),
    INTERVAL_SECONDS,
  )
  .option(
    '--watch [seconds]',
    'show it again and again, every 2 seconds by default',
    seconds(WATCH_MIN_SECONDS),
  )
  .action((options: StatusOptions) =>
    untilInterrupted(async (signal) => {
      const target = await findTarget(options);
      const { watch, json, interval } = options;
      if (watch === undefined) return await showOnce(readAgain(target, interval * 1000, signal), options);
      const everySeconds = watch === true ? INTERVAL_SECONDS : watch;
      await showForever(readAgain(target, everySeconds * 1000, signal), {
        ...(json && { json }),
        everySeconds,
      });
    }),
  );
