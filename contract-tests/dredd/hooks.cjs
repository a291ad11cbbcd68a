/** The file that Dredd loads for its hooks: by require(), and with `hooks` to be required from nowhere else. */
const { registerHooks } = require('./dredd-run.ts');
registerHooks(require('hooks'));
