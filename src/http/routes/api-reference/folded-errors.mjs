/**
 * Shows the success of an operation first. Its errors are one line, which opens. A plugin for Swagger UI.
 */

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

/** Wraps the component that shows the responses of an operation. */
export const foldErrors = ({ React }) => ({
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
