/**
 * What the page uses of Swagger UI beyond its documentation, as of swagger-ui-dist 5.35: see docs/private-insides.md.
 * Runs in the browser.
 *
 * Plugins and `wrapComponents` are documented; the names of components and their properties are not. If they change,
 * the page loses what the plugins add: the search in summaries, labels for screen readers, and errors that open.
 * Instead: nothing, the reference can be read without.
 */

/** The fields of an operation that the search looks at. */
const SEARCHED = ['path', 'summary', 'description', 'operationId'];

function matches(operation, words) {
  const details = operation.get('operation');
  const text = SEARCHED.map((key) => operation.get(key) ?? details.get(key) ?? '')
    .join(' ')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Labels the search box. */
const nameSearchBox = (element) =>
  element?.querySelector('input')?.setAttribute('placeholder', 'Search operations');

/** Replaces Swagger UI's own filter, which searches tags and paths only. */
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

/** Labels the lists of examples and servers for screen readers. */
function labelLists({ React }) {
  const withLabel = (label) => (Original) => (properties) => {
    const ref = (element) => element?.querySelector('select')?.setAttribute('aria-label', label);
    return React.createElement('div', { ref }, React.createElement(Original, properties));
  };
  return { wrapComponents: { ExamplesSelect: withLabel('Example'), Servers: withLabel('Server') } };
}

const isSuccess = (_response, code) => code.startsWith('2');

/** The response without the header that every answer has: the success shows it. */
function withoutRequestId(response) {
  const rest = response.deleteIn(['headers', 'x-request-id']);
  return rest.get('headers')?.size === 0 ? rest.delete('headers') : rest;
}

/** The line for the errors of these statuses; `default` stands for all others. */
const summaryOf = (codes) =>
  `Errors: ${codes.map((code) => (code === 'default' ? 'any other' : code)).join(', ')}`;

/** Labels the tables of an operation, which screen readers list by name. */
function nameTables(element, path) {
  const tables = element?.querySelectorAll('.responses-table[role=region]') ?? [];
  for (const [i, table] of [...tables].entries())
    table.setAttribute('aria-label', `${i === 0 ? 'Success' : 'Errors'} of ${path}`);
}

/**
 * Shows the success of an operation first. Its errors are one line, which opens. Wraps the component that shows the
 * responses of an operation.
 */
const foldErrors = ({ React }) => ({
  wrapComponents: {
    responses: (Original) => (properties) => {
      const { responses, path } = properties;
      const [isOpen, setOpen] = React.useState(false);
      const [successes, errors] = React.useMemo(
        () => [responses.filter(isSuccess), responses.filterNot(isSuccess).map(withoutRequestId)],
        [responses],
      );
      const ref = React.useRef(null);
      React.useEffect(() => nameTables(ref.current, path), [path, isOpen]);

      const show = (shown) => React.createElement(Original, { ...properties, ...shown });
      // A real answer belongs to the first table, whatever its status is. The path is part of the table's id.
      const showErrors = () =>
        show({ responses: errors, tryItOutResponse: undefined, path: `${path}/errors` });
      const onToggle = (event) => setOpen(event.currentTarget.open);
      return React.createElement(
        'div',
        { ref },
        show({ responses: successes }),
        errors.size > 0 &&
          React.createElement(
            'details',
            { className: 'errors', open: isOpen, onToggle },
            React.createElement('summary', null, summaryOf(errors.keySeq().toArray())),
            isOpen && showErrors(),
          ),
      );
    },
  },
});

export const plugins = [searchOperations, labelLists, foldErrors];

/** Shows another spec. */
export const replaceSpec = (ui, spec) => ui.specActions.updateJsonSpec(spec);
