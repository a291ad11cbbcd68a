/**
 * Refuses requests whose bodies arrive in tiny pieces. Each piece (a chunk, or the bytes of a packet) takes as much
 * time as some kilobytes. An unread piece of one byte takes a hundred times its size in memory. A body that arrives
 * byte by byte would delay all clients.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createCountingRequest } from './node-insides.ts';

/** Any body may have this many pieces. */
const FREE_PIECES = 100;
/** The minimum average size of further pieces. Clients that write a body piece by piece write at least lines. */
const LEAST_PIECE_BYTES = 16;

const areTooSmall = (pieces: number, bytes: number): boolean =>
  pieces > FREE_PIECES + bytes / LEAST_PIECE_BYTES;

/** Creates the class of a server's requests. `refuse` ends the connection of a request with too many pieces. */
export const createPieceLimitedRequest = (refuse: (socket: Socket) => void): typeof IncomingMessage =>
  createCountingRequest(areTooSmall, refuse);
