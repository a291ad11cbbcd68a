/**
 * Keeps what Node makes of the modules for the next start, which then takes two thirds of the time. Where nothing can be
 * written, each start makes it anew. To be loaded before all others (`node --import`), and itself JavaScript: of a later
 * start nothing else needs its types stripped.
 */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** An installation begins with an empty one, so that nothing gathers there. */
const DIRECTORY = '../../node_modules/.cache/knowledge-retrieval';

enableCompileCache(fileURLToPath(new URL(DIRECTORY, import.meta.url)));
