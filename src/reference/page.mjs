/** Shows the spec at /docs with Swagger UI, to read and to try out. Runs in the browser. */

/** What the search looks at in an operation. */
const SEARCHED = ['path', 'summary', 'description', 'operationId'];

function matches(operation, words) {
  const details = operation.get('operation');
  const text = SEARCHED.map((key) => operation.get(key) ?? details.get(key) ?? '')
    .join(' ')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Gives the search box a name that says what it does. */
const nameSearchBox = (element) =>
  element?.querySelector('input')?.setAttribute('placeholder', 'Search operations');

/** Swagger UI's own filter knows tags and paths only. */
const searchOperations = ({ React }) => ({
  wrapComponents: {
    FilterContainer: (Original) => (properties) =>
      React.createElement('div', { ref: nameSearchBox }, React.createElement(Original, properties)),
  },
  fn: {
    opsFilter(tags, phrase) {
      const words = phrase.toLowerCase().split(/\s+/);
      const search = (operations) => operations.filter((operation) => matches(operation, words));
      return tags
        .map((tag) => tag.update('operations', search))
        .filter((tag) => tag.get('operations').size > 0);
    },
  },
});

/** Requests go where this page came from: that works behind any proxy, and is all that the page may reach. */
async function loadSpec() {
  const spec = await (await fetch('openapi.json')).json();
  return { ...spec, servers: [{ url: new URL('.', location.href).href.replace(/\/$/, '') }] };
}

SwaggerUIBundle({
  spec: await loadSpec(),
  dom_id: '#reference',
  plugins: [searchOperations],
  filter: true,
  deepLinking: true,
  displayRequestDuration: true,
  requestSnippetsEnabled: true,
  // Each operation shows the schemas that it uses.
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 4,
  syntaxHighlight: { theme: 'idea' },
  // Nothing is sent to swagger.io, and no key outlives the page.
  validatorUrl: null,
  persistAuthorization: false,
});
