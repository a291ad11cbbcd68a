/** Switches of Office files: elements whose value is true unless they say otherwise (ECMA-376 part 1, 22.9.2.7). */
import { attributeOf, type XmlElement } from '../../markup/xml-tree.ts';

/** Whether the value of a switch that is there turns it on; without a value it is on. */
export const isOn = (value: string | undefined): boolean => !/^(?:0|false|off)$/.test(value ?? '');

export const isSwitchedOn = (element: XmlElement | undefined): boolean =>
  element !== undefined && isOn(attributeOf(element, 'val'));
