#!/usr/bin/env node
/** `npx knowledge-retrieval`: the command line of src/cli.ts, on a Node that can run it. */
import './require-node.mjs';

await import('../src/cli.ts');
