import { ROLES } from '../../../src/auth/principal';
import { CustomerStatus, StepStatus } from '../../../src/persistence/client/enums';
import { RECEIVED_ADDRESS } from './scalar-schemas';

type FieldSchema = Readonly<Record<string, unknown>>;

const oneOf = (...values: readonly string[]): FieldSchema => ({ type: 'string', enum: values });

const FIAT = oneOf('BRL', 'USD');
const FEE_KIND = oneOf('platform', 'customer', 'bridgeAndSlippage', 'paymentRail', 'gas');
const LEG_KIND = oneOf(
  ...[
    'APPROVAL',
    'SWAP',
    'BRIDGE',
    'DEPOSIT',
    'WITHDRAW',
    'REQUEST',
    'TRANSFER',
    'FIAT_IN',
    'FIAT_OUT',
    'ORDER',
    'REFUND',
    'DEPLOYMENT',
    'CLAIM',
  ],
);
const STEP_STATUS = oneOf(...Object.values(StepStatus));
const SUBSTATUS = oneOf(
  ...['WAITING_ORIGIN', 'WAITING_CONFIRMATIONS', 'WAITING_ATTESTATION', 'WAITING_DESTINATION'],
  ...[
    'DESTINATION_MINT_REQUIRED',
    'DEPOSIT_REQUIRED',
    'PAYOUT_PROCESSING',
    'PARTIAL',
    'SLIPPAGE_EXCEEDED',
    'OUT_OF_GAS',
    'EXPIRED',
  ],
  ...['REFUND_QUEUED', 'REFUND_SENT'],
);

const DOLLARS: FieldSchema = { type: 'string', pattern: '^(0|[1-9][0-9]*)(\\.[0-9]{1,6})?$' };
const signed = (pattern: string, description: string): FieldSchema => ({
  type: 'string',
  pattern,
  description: `${description} Negative for a gain.`,
});
const DECIMAL = '^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$';
const BASE_UNITS = '^-?(0|[1-9][0-9]{0,77})$';

/**
 * Schemas of fields and arguments whose type in the graph does not describe their values completely, by `Type.field` or
 * `Mutation.name.argument`. A description replaces that of the graph; sets of values are those that it names. The gateway must
 * not import those of the domain: test/rest/enum-values.test.ts compares them.
 */
export const FIELD_SCHEMAS: Readonly<Record<string, FieldSchema>> = {
  'Action.receiverAddress': { anyOf: [RECEIVED_ADDRESS, oneOf('pix', 'wire', 'ach')] },
  'Action.substatus': SUBSTATUS,
  'ActionFee.amount': signed(DECIMAL, 'Amount as a decimal in `currency`.'),
  'ActionFee.currency': oneOf('USD'),
  'ActionFee.tokenAmount': signed(BASE_UNITS, 'Fee in the smallest unit of the token.'),
  'ActionFee.type': FEE_KIND,
  'ActionFees.currency': oneOf('USD'),
  'ActionFees.total': signed(DECIMAL, 'Sum of the breakdown, as a decimal in `currency`.'),
  'ActionLeg.kind': LEG_KIND,
  'ActionLeg.operator': oneOf('USER', 'PROVIDER', 'SERVICE'),
  'ActionLeg.status': STEP_STATUS,
  'ActionRefund.currency': FIAT,
  'ActionRefund.status': oneOf('PENDING', 'SUBMITTED', 'CONFIRMED', 'FAILED'),
  'ActionStep.status': STEP_STATUS,
  'AmountBreakdown.status': oneOf('completed', 'pending', 'failed'),
  'AmountBreakdown.type': LEG_KIND,
  'Asset.currency': FIAT,
  'CustomerProfile.role': oneOf(...ROLES),
  'CustomerProfile.status': oneOf(...Object.values(CustomerStatus)),
  'FeeLine.amountRaw': { type: 'string', pattern: BASE_UNITS },
  'FeeLine.asset': oneOf('tokenIn', 'tokenOut'),
  'FeeLine.kind': FEE_KIND,
  'KycDocumentsInput.documentType': oneOf('RG', 'CNH', 'PASSPORT'),
  'Mutation.submitKycDocument.documentSide': oneOf('FRONT', 'BACK'),
  'Mutation.submitKycDocument.documentType': oneOf(
    ...['NATIONAL_ID', 'DRIVER_LICENSE', 'PASSPORT', 'PROOF_OF_ADDRESS'],
  ),
  'Mutation.unlockKycCurrency.usdPaymentMethod': oneOf('ACH', 'WIRE'),
  'PaymentAmount.currency': FIAT,
  'PendingLeg.kind': oneOf(
    'APPROVAL',
    'TRANSFER',
    'SWAP',
    'BRIDGE',
    'DEPOSIT',
    'WITHDRAW',
    'REQUEST',
    'CLAIM',
    'ORDER',
    'REFUND',
  ),
  'PendingLeg.status': STEP_STATUS,
  'PendingStep.status': STEP_STATUS,
  'Query.strategyTransaction.action': oneOf('lend', 'withdraw', 'request-lend', 'request-withdraw', 'claim'),
  'RampLimit.currency': FIAT,
  'SettlementLeg.kind': oneOf('TRANSFER', 'ORDER', 'REFUND'),
  'SettlementLeg.status': STEP_STATUS,
  'SettlementPricing.side': oneOf('BUY', 'SELL'),
  'SettlementStep.status': STEP_STATUS,
  'Simulation.status': oneOf('SUCCESS', 'INSUFFICIENT_BALANCE', 'REVERTED', 'UNAVAILABLE'),
  'StrategyTransaction.type': oneOf(
    'SAMECHAIN_INVESTMENT_DEPOSIT',
    'SAMECHAIN_INVESTMENT_WITHDRAW',
    'CROSSCHAIN_INVESTMENT_DEPOSIT',
    'CROSSCHAIN_INVESTMENT_WITHDRAW',
    'REWARD_CLAIM',
  ),
  'SwapQuote.status': oneOf('pending'),
  'SwapQuote.transferSpeed': oneOf('fast', 'standard'),
  'SwapQuoteResult.type': { $ref: '#/components/schemas/ActionType' },
  'SwapStatus.substatus': SUBSTATUS,
  'TokenPosition.amountInUSD': DOLLARS,
  'WalletTokensSummary.totalAmountInUSD': DOLLARS,
};
