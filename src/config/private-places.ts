/** The type of a setting: names and networks that are allowed although they are private. */
import { BlockList, isIP } from 'node:net';
import { WrongText } from './wrong-text.ts';

/** Names are in lower case. */
export type PrivatePlaces = Readonly<{ names: ReadonlySet<string>; networks: BlockList }>;

export const NO_PRIVATE_PLACES: PrivatePlaces = { names: new Set(), networks: new BlockList() };

const NAME = /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/i;
const FAMILIES = { 4: 'ipv4', 6: 'ipv6' } as const;

/** Adds a network such as `10.1.0.0/16`, or a single address, to the list. Returns false when it is none. */
function addNetwork(networks: BlockList, text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  const bits = version === 4 ? 32 : 128;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (!(length <= bits)) return false;
  networks.addSubnet(address, length, version === 4 ? FAMILIES[4] : FAMILIES[6]);
  return true;
}

/**
 * Names and networks with commas between: `wiki.internal, 10.1.0.0/16`.
 * @throws WrongText
 */
export function privatePlaces(text: string): PrivatePlaces {
  const [names, networks] = [new Set<string>(), new BlockList()];
  for (const part of text.split(',').map((each) => each.trim())) {
    if (addNetwork(networks, part)) continue;
    if (!NAME.test(part) || /^[\d.]+$/.test(part))
      throw new WrongText(
        'must be names and networks such as wiki.internal,10.1.0.0/16, with commas between',
      );
    names.add(part.toLowerCase());
  }
  return { names, networks };
}
