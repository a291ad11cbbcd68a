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

/** Wraps the component that shows the responses of an operation. */
export const foldErrors = ({ React }) => ({
  wrapComponents: {
    responses: (Original) => (properties) => {
      const { responses } = properties;
      const [isOpen, setOpen] = React.useState(false);
      const [successes, errors] = React.useMemo(
        () => [responses.filter(isSuccess), responses.filterNot(isSuccess).map(withoutRequestId)],
        [responses],
      );
      const codes = errors.keySeq().toArray();
      const show = (shown) => React.createElement(Original, { ...properties, ...shown });
      return React.createElement(
        React.Fragment,
        null,
        show({ responses: successes }),
        codes.length > 0 &&
          React.createElement(
            'details',
            { className: 'errors', open: isOpen, onToggle: (event) => setOpen(event.currentTarget.open) },
            React.createElement('summary', null, summaryOf(codes)),
            // A real answer belongs to the first table, whatever its status is.
            isOpen && show({ responses: errors, tryItOutResponse: undefined }),
          ),
      );
    },
  },
});
