/** `npm run check`: compiles all code and lints it, without tests. */
import { scriptCommand } from './arguments.ts';
import { checkCode } from './tools.ts';

scriptCommand('check').description('Compiles all code by tsc, and lints it by Biome.').parse();
await checkCode();
