/**
 * The program of an attack: `attacker.ts <attack> <account as JSON> <seconds>`.
 * Prints `ready` after its preparation, and starts at the first byte of its standard input.
 * It is a process of its own with low priority, because real attackers have their own machines.
 */
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import type { Account } from './account.ts';
import { ATTACKS } from './attacks.ts';

setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
const [name = '', account = '', seconds = ''] = process.argv.slice(2);
const attack = ATTACKS[name];
if (attack === undefined) throw new Error(`there is no attack ${name}`);
const attacker = JSON.parse(account) as Account; // of neighbour.ts
await attack.prepare?.(attacker);
process.stdout.write('ready\n');
await once(process.stdin, 'data');
await attack.run(attacker, performance.now() + Number(seconds) * 1000);
process.exitCode = 0;
process.stdin.destroy();
