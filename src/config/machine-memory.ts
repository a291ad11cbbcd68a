import { totalmem } from 'node:os';

/** The machine's memory in bytes, or the container's limit where that is lower. */
export const MACHINE_MEMORY = Math.min(process.constrainedMemory() || totalmem(), totalmem());
