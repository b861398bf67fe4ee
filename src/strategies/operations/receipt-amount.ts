import type { Preview } from '../protocols/protocol';
import type { ProtocolName, StrategyRow } from '../strategy-row';

/** What one base unit of the receipt token of a protocol counts: an asset, as a token that grows does, or a share. */
const RECEIPT_UNITS: Readonly<Record<ProtocolName, 'assets' | 'shares'>> = {
  'aave-v3': 'assets',
  'compound-v3': 'assets',
  erc4626: 'shares',
  erc7540: 'shares',
  'tokenized-stock': 'shares',
};

/** Base units of the receipt token that an operation creates or redeems. */
export const receiptAmount = ({ protocol }: Pick<StrategyRow, 'protocol'>, preview: Preview): bigint =>
  preview[RECEIPT_UNITS[protocol]];

const MILLION = 1_000_000n;
/**
 * How far an amount may be from its preview because of interest between the block of the preview and that of the simulation,
 * in parts per million: five minutes at 100 % a year.
 */
const ACCRUAL_PPM = 10n;
const PPM_PER_BASIS_POINT = 100n;

/** How far a simulated amount may be from its preview: one unit, the vault's known fees, and accrued interest. */
export const toleranceOf = (amount: bigint, { knownFeeBps }: Pick<StrategyRow, 'knownFeeBps'>): bigint =>
  1n + (amount * (BigInt(knownFeeBps) * PPM_PER_BASIS_POINT + ACCRUAL_PPM)) / MILLION;

/** Balances of tokens that grow are rounded at each transfer. */
const ROUNDING = 2n;

/**
 * How far an amount may be from its preview when the transaction is mined, beside the price of shares. Previews of vaults contain
 * their fees, and a lending market moves the requested amount.
 */
export const routedToleranceOf = (amount: bigint, { protocol }: Pick<StrategyRow, 'protocol'>): bigint =>
  RECEIPT_UNITS[protocol] === 'assets' ? ROUNDING : 1n + (amount * ACCRUAL_PPM) / MILLION;
