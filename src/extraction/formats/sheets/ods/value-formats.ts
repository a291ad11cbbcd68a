/** The number formats of an OpenDocument spreadsheet, for cells whose text the file does not have. */
import type { Attributes } from '../../../markup/markup-tokens.ts';
import { attribute } from '../../../markup/read-xml.ts';
import { type TreeBuilder, treeBuilder, type XmlElement } from '../../../markup/xml-tree.ts';
import { isNumberStyle, numberCode } from '../../office/odf/styles/number-styles.ts';

export type ValueFormats = {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  text(written: string): void;
  /** The code of the format of a cell style; undefined where it has none. */
  codeOf(cellStyle: string): string | undefined;
};

type CellStyle = { format: string | undefined; parent: string };

/** In a damaged file the chain of parent styles may be a circle. */
const CHAIN_MAX_LENGTH = 12;

const toCellStyle = (attributes: Attributes): CellStyle => ({
  format: attribute(attributes, 'data-style-name'),
  parent: attribute(attributes, 'parent-style-name') ?? '',
});

export function valueFormats(): ValueFormats {
  const formats = new Map<string, XmlElement>();
  const cellStyles = new Map<string, CellStyle>();
  const codes = new Map<string, string | undefined>();
  let format: TreeBuilder | undefined;

  const takeCellStyle = (attributes: Attributes): void => {
    if (attribute(attributes, 'family') !== 'table-cell') return;
    cellStyles.set(attribute(attributes, 'name') ?? '', toCellStyle(attributes));
  };
  const formatOf = (cellStyle: string): XmlElement | undefined => {
    let style = cellStyles.get(cellStyle);
    for (let i = 0; style && style.format === undefined && i < CHAIN_MAX_LENGTH; i++)
      style = cellStyles.get(style.parent);
    return formats.get(style?.format ?? '');
  };
  return {
    open(name, attributes) {
      if (name === 'style') takeCellStyle(attributes);
      if (isNumberStyle(name)) format ??= treeBuilder();
      format?.open(name, attributes);
    },
    close(name) {
      format?.close(name);
      const [style] = format?.depth() === 0 ? (format.root.children as XmlElement[]) : [];
      if (!style) return;
      formats.set(attribute(style.attributes, 'name') ?? '', style);
      format = undefined;
    },
    text: (written) => format?.text(written),
    codeOf(cellStyle) {
      if (!codes.has(cellStyle)) {
        const found = formatOf(cellStyle);
        codes.set(cellStyle, found && numberCode(found, (name) => formats.get(name)));
      }
      return codes.get(cellStyle);
    },
  };
}
