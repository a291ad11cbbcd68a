/** Dredd loads its hooks from this file by require(). Only here does `require('hooks')` work. */
const { registerHooks } = require('./dredd-run.ts');
registerHooks(require('hooks'));
