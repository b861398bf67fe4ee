import type { Chain } from '../../chains/chain';
import type { BaseUnits } from '../../money/base-units';
import type { PartsPerMillion } from '../../money/slippage';
import type { TransferSpeed } from '../../venues/quote-provider';
import type { UsdBeneficiary, UsdPaymentMethod } from '../../ramps/usd-beneficiary';

/** Forms of the executable that a caller may request. */
export const OUTPUTS = ['bytecode', 'userOperation', 'custody', 'instructions'] as const;
export type Output = (typeof OUTPUTS)[number];

/** A token by the caller's address, before it is looked up. */
export interface TokenReference {
  /** NATIVE_TOKEN for both spellings of the native coin; else checksummed, a mint, or a fiat literal. */
  readonly address: string;
  /** The spelling for the response: `address`, but the native coin in the form that the caller used. */
  readonly requestedAddress: string;
}

/** A quote request with well-formed fields. Its tokens and route may still not exist. */
export interface SwapIntent {
  readonly origin: Chain;
  readonly destination: Chain;
  readonly tokenIn: TokenReference;
  readonly tokenOut: TokenReference;
  /** `amount` is in units of `tokenIn` on side `in`, of `tokenOut` on side `out`. */
  readonly side: 'in' | 'out';
  readonly amount: BaseUnits;
  readonly slippage: PartsPerMillion;
  /** Largest price impact that the caller allows, in basis points; the bound of the deployment when absent. */
  readonly maxPriceImpactBps: number | undefined;
  readonly originAddress: string | undefined;
  readonly destinationAddress: string | undefined;
  readonly refundAddress: string | undefined;
  readonly pixKey: string | undefined;
  readonly thirdParty: boolean;
  readonly beneficiary: UsdBeneficiary | undefined;
  /** The rail for US dollars, in both directions. */
  readonly usdPaymentMethod: UsdPaymentMethod;
  readonly output: Output;
  readonly accountId: string | undefined;
  readonly feeSponsorship: boolean;
  readonly preferredProvider: string | undefined;
  readonly rampProvider: string | undefined;
  readonly transferSpeed: TransferSpeed | undefined;
  readonly webhookUrl: string | undefined;
}

/** True when the request names a sender and a recipient: the response is then executable. */
export function isExecutable(
  parties: Pick<SwapIntent, 'originAddress' | 'destinationAddress' | 'pixKey' | 'beneficiary'>,
): boolean {
  const { originAddress, destinationAddress, pixKey, beneficiary } = parties;
  const isAddressed = [destinationAddress, pixKey, beneficiary].some((target) => target !== undefined);
  return originAddress !== undefined && isAddressed;
}
