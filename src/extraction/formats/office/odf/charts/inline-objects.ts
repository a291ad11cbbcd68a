/** Charts of files that are one XML document stand in the element that shows them. */
import { attribute, type XmlEvents } from '../../../../markup/read-xml.ts';
import { replay, type TreeBuilder, treeBuilder, type XmlElement } from '../../../../markup/xml-tree.ts';

/** Passes events on, but for objects that `write` has written as charts. */
export function withInlineCharts(
  events: Required<XmlEvents>,
  write: (object: XmlElement) => boolean,
): Required<XmlEvents> {
  let object: TreeBuilder | undefined;
  return {
    open(name, attributes) {
      if (!object && name === 'object' && attribute(attributes, 'href') === undefined) object = treeBuilder();
      (object ?? events).open(name, attributes);
    },
    close(name) {
      if (!object) return events.close(name);
      object.close(name);
      if (object.depth() > 0) return;
      const { root } = object;
      object = undefined;
      if (!write(root)) for (const node of root.children) replay(node, events);
    },
    text(written) {
      (object ?? events).text(written);
    },
  };
}
