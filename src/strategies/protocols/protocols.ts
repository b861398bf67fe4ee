import type { DirectProtocolName, ProtocolName } from '../strategy-row';
import { aaveV3 } from './aave-v3/aave-v3';
import { compoundV3 } from './compound-v3/compound-v3';
import { erc4626 } from './erc4626/erc4626';
import { createErc7540 } from './erc7540/erc7540';
import type { Protocol, ProtocolReader } from './protocol';
import { tokenizedStock } from './tokenized-stock/tokenized-stock';

/** The protocols that wallets deposit into themselves. */
export const PROTOCOLS: Readonly<Record<DirectProtocolName, Protocol>> = {
  'aave-v3': aaveV3,
  erc4626,
  erc7540: createErc7540(erc4626),
  'compound-v3': compoundV3,
};

/** All protocols, as far as their markets and the holdings of wallets are read. */
export const PROTOCOL_READERS: Readonly<Record<ProtocolName, ProtocolReader>> = {
  ...PROTOCOLS,
  'tokenized-stock': tokenizedStock,
};
