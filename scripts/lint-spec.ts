/** `npm run lint:spec`: checks the spec by two linters, which find different problems. */
import { scriptCommand } from './arguments.ts';
import { runTool } from './tools.ts';

const SPEC = 'spec/openapi.yaml';

scriptCommand('lint:spec').description(`Checks ${SPEC} by Spectral and Redocly.`).parse();
const failures = ['--fail-severity=warn', '--display-only-failures'];
runTool('spectral', 'lint', '-r', 'scripts/lint-spec/spectral.yaml', ...failures, SPEC);
runTool('redocly', 'lint', '--config', 'scripts/lint-spec/redocly.yaml', SPEC);
