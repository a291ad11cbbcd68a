/** Which addresses a webhook may have, at its creation and at each connection. */
import { isIP } from 'node:net';
import { withTimeout } from '../../concurrency/timeout.ts';
import { validationFailed } from '../../terms/errors.ts';
import {
  type AddressRules,
  findAddressProblem,
  findAllowedAddresses,
  hostOf,
  NOT_PUBLIC,
  RefusedAddress,
  type Resolve,
} from '../address-rules.ts';

/** How long the creation of a webhook waits for the addresses of its name. */
const CREATION_LOOKUP_MS = 2_000;

/** `allowsPrivateReceivers`: private networks and plain http are allowed. `resolve`: as in AddressRules. */
export type ReceiverRules = { allowsPrivateReceivers: boolean; resolve?: Resolve };

export const toAddressRules = ({ allowsPrivateReceivers, resolve }: ReceiverRules): AddressRules => ({
  protocols: allowsPrivateReceivers ? ['https:', 'http:'] : ['https:'],
  allowedPrivate: allowsPrivateReceivers ? 'all' : 'none',
  resolve,
});

/** Why a webhook may not have this address, whatever its name resolves to: `must …`. Undefined if it may. */
export const findReceiverProblem = (address: string, rules: ReceiverRules): string | undefined =>
  findAddressProblem(address, toAddressRules(rules));

/**
 * Refuses an address to which nothing may be sent. A name without addresses passes: it may get some later, and each
 * connection checks again.
 * @throws INPUT_VALIDATION_FAILED naming `url`
 */
export async function requireReceiver(address: string, rules: ReceiverRules): Promise<void> {
  const refuse = (problem: string) => validationFailed([], { url: [problem] });
  const problem = findReceiverProblem(address, rules);
  if (problem !== undefined) throw refuse(problem);
  const host = hostOf(new URL(address));
  if (rules.allowsPrivateReceivers || isIP(host) !== 0) return;
  const looking = findAllowedAddresses(host, toAddressRules(rules)).catch((error: unknown) => {
    if (error instanceof RefusedAddress) throw refuse(NOT_PUBLIC);
  });
  await withTimeout(looking, CREATION_LOOKUP_MS, () => {});
}
