import { invariant } from '../../src/errors/invariant-error';
import { ASSETS, type Asset, PING, POSITIONS_OF } from './memory';

/** Answers written by hand, for exactly what the measured requests ask. */
export const pingByHand = (): typeof PING => PING;

interface WalletAnswer {
  readonly address: string;
  readonly positions: readonly { readonly id: string; readonly amount: string; readonly asset: Asset }[];
}

/** The positions of a wallet, each joined with its asset. */
export function walletByHand(address: string): WalletAnswer {
  const positions = POSITIONS_OF.get(address) ?? [];
  return {
    address,
    positions: positions.map(({ id, amount, assetId }) => ({ id, amount: amount.toString(), asset: assetOf(assetId) })),
  };
}

/** Field by field: a store has more of an asset than a response shows. */
function assetOf(assetId: string): Asset {
  const asset = ASSETS.get(assetId);
  invariant(asset, 'a position has an unknown asset');
  const { id, symbol, name, decimals, priceUsd } = asset;
  return { id, symbol, name, decimals, priceUsd };
}
