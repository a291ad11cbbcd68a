import { totalmem } from 'node:os';

/**
 * What precedes the number in the arguments of a process that its parent tells it. Node takes the process's own limit
 * for the container's, so that a process with a limit would bound itself by a part of that again.
 */
export const MACHINE_MEMORY_ARGUMENT = '--machine-memory=';

const told = process.argv.find((argument) => argument.startsWith(MACHINE_MEMORY_ARGUMENT));

/** The machine's memory in bytes, or the container's limit where that is lower. */
export const MACHINE_MEMORY =
  told === undefined
    ? Math.min(process.constrainedMemory() || totalmem(), totalmem())
    : Number(told.slice(MACHINE_MEMORY_ARGUMENT.length));
