import type { Chain } from '../../chains/chain';
import type { BaseUnits } from '../../money/base-units';
import type { PartsPerMillion } from '../../money/slippage';
import type { TransferSpeed } from '../../venues/quote-provider';
import type { UsdBeneficiary, UsdPaymentMethod } from '../../ramps/usd-beneficiary';

/** What a caller may ask the answer to be made for. */
export const OUTPUTS = ['bytecode', 'userOperation', 'custody', 'instructions'] as const;
export type Output = (typeof OUTPUTS)[number];

/** A token by the address that the caller gave, before anybody looked whether it exists. */
export interface TokenReference {
  /** NATIVE_TOKEN for both spellings of the native coin; else checksummed, a mint, or a fiat literal. */
  readonly address: string;
  /** The spelling to answer with: as `address`, but the form of the native coin that the caller used. */
  readonly shownAddress: string;
}

/** A request for a quote whose every field is well-formed. Tokens and routes may still turn out not to exist. */
export interface SwapIntent {
  readonly origin: Chain;
  readonly destination: Chain;
  readonly tokenIn: TokenReference;
  readonly tokenOut: TokenReference;
  /** The amount given is of `tokenIn` on side `in`, of `tokenOut` on side `out`. */
  readonly side: 'in' | 'out';
  readonly amount: BaseUnits;
  readonly slippage: PartsPerMillion;
  readonly originAddress: string | undefined;
  readonly destinationAddress: string | undefined;
  readonly refundAddress: string | undefined;
  readonly pixKey: string | undefined;
  readonly thirdParty: boolean;
  readonly beneficiary: UsdBeneficiary | undefined;
  /** By which US dollars are paid, in or out. */
  readonly usdPaymentMethod: UsdPaymentMethod;
  readonly output: Output;
  readonly accountId: string | undefined;
  readonly feeSponsorship: boolean;
  readonly preferredProvider: string | undefined;
  readonly rampProvider: string | undefined;
  readonly transferSpeed: TransferSpeed | undefined;
  readonly webhookUrl: string | undefined;
}

/** True when the request names where the money comes from and where it goes: the answer is then executable. */
export function isExecutable(
  parties: Pick<SwapIntent, 'originAddress' | 'destinationAddress' | 'pixKey' | 'beneficiary'>,
): boolean {
  const { originAddress, destinationAddress, pixKey, beneficiary } = parties;
  const isAddressed = [destinationAddress, pixKey, beneficiary].some((target) => target !== undefined);
  return originAddress !== undefined && isAddressed;
}
