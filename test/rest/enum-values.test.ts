import { FIELD_SCHEMAS } from '../../gateway/rest/openapi/field-schemas';
import type { BreakdownView } from '../../src/actions/action-view';
import { SUBSTATUSES } from '../../src/actions/state/substatus';
import { ROLES } from '../../src/auth/principal';
import { loadConfig } from '../../src/config/config';
import { fieldChecks } from '../../src/main/field-checks';
import { CustomerStatus, StepStatus } from '../../src/persistence/client/enums';
import type { FeeBreakdown } from '../../src/quotes/fee-breakdown';
import type { QuoteView, SimulationView } from '../../src/quotes/quote-view';
import type { FiatCurrency, RampRail } from '../../src/ramps/ramp-provider';
import { USD_PAYMENT_METHODS } from '../../src/ramps/usd-beneficiary';
import type { OperationPart } from '../../src/strategies/operations/operation-part';
import type { OperationView } from '../../src/strategies/operations/operation-view';
import type { OrderSide } from '../../src/strategies/stocks/stock-order';
import type { StrategyAction } from '../../src/strategies/strategy';
import { LEG_KINDS, LEG_OPERATORS } from '../../src/transactions/action-plan';
import { TRANSFER_SPEEDS } from '../../src/venues/quote-provider';

const config = loadConfig({ DATABASE_URL: 'postgres://localhost/none', API_KEY_PEPPER: 'ab'.repeat(32) });
const checks = fieldChecks(config);

/** All values of a union: the compiler refuses a missing one, and one too many. */
const valuesOf = <Value extends string>(values: Readonly<Record<Value, true>>): readonly string[] =>
  Object.keys(values);

/** Values that the service accepts for a field of an operation, from the message of its issue. */
function acceptedValues(operation: string, path: string): readonly string[] {
  const [outer = '', inner] = path.split('.');
  const fields = { [outer]: inner === undefined ? 'NONE' : { [inner]: 'NONE' } };
  const issue = checks[operation]?.(fields).find((each) => each.path === path);
  return issue?.message.replace('must be one of ', '').split(', ') ?? [];
}

type FeeLine = FeeBreakdown['lines'][number];

const CURRENCIES = valuesOf<FiatCurrency>({ BRL: true, USD: true });
const FEE_KINDS = valuesOf<FeeLine['kind']>({
  platform: true,
  customer: true,
  bridgeAndSlippage: true,
  paymentRail: true,
  gas: true,
});
const STEP_STATUSES = Object.values(StepStatus);
const DOLLARS = ['USD'];

/** The values of each field by their sources. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  'Action.receiverAddress': valuesOf<Lowercase<RampRail>>({ pix: true, wire: true, ach: true }),
  'Action.substatus': SUBSTATUSES,
  'ActionFee.currency': DOLLARS,
  'ActionFee.type': FEE_KINDS,
  'ActionFees.currency': DOLLARS,
  'ActionLeg.kind': LEG_KINDS,
  'ActionLeg.operator': LEG_OPERATORS,
  'ActionLeg.status': STEP_STATUSES,
  'ActionRefund.currency': CURRENCIES,
  // A refund is never skipped.
  'ActionRefund.status': STEP_STATUSES.filter((status) => status !== 'SKIPPED'),
  'ActionStep.status': STEP_STATUSES,
  'AmountBreakdown.status': valuesOf<BreakdownView['status']>({ completed: true, pending: true, failed: true }),
  'AmountBreakdown.type': LEG_KINDS,
  'Asset.currency': CURRENCIES,
  'CustomerProfile.role': ROLES,
  'CustomerProfile.status': Object.values(CustomerStatus),
  'FeeLine.asset': valuesOf<FeeLine['asset']>({ tokenIn: true, tokenOut: true }),
  'FeeLine.kind': FEE_KINDS,
  'KycDocumentsInput.documentType': acceptedValues('Mutation.submitKycEvidence', 'documents.documentType'),
  'Mutation.submitKycDocument.documentSide': acceptedValues('Mutation.submitKycDocument', 'documentSide'),
  'Mutation.submitKycDocument.documentType': acceptedValues('Mutation.submitKycDocument', 'documentType'),
  'Mutation.unlockKycCurrency.usdPaymentMethod': USD_PAYMENT_METHODS,
  'PaymentAmount.currency': CURRENCIES,
  'PendingLeg.kind': valuesOf<OperationPart['kind'] | 'APPROVAL' | 'ORDER' | 'REFUND'>({
    APPROVAL: true,
    TRANSFER: true,
    SWAP: true,
    BRIDGE: true,
    DEPOSIT: true,
    WITHDRAW: true,
    REQUEST: true,
    CLAIM: true,
    ORDER: true,
    REFUND: true,
  }),
  'PendingLeg.status': STEP_STATUSES,
  'PendingStep.status': STEP_STATUSES,
  'Query.strategyTransaction.action': valuesOf<StrategyAction>({
    lend: true,
    withdraw: true,
    'request-lend': true,
    'request-withdraw': true,
    claim: true,
  }),
  'RampLimit.currency': CURRENCIES,
  'SettlementLeg.kind': valuesOf<'TRANSFER' | 'ORDER' | 'REFUND'>({ TRANSFER: true, ORDER: true, REFUND: true }),
  'SettlementLeg.status': STEP_STATUSES,
  'SettlementPricing.side': valuesOf<OrderSide>({ BUY: true, SELL: true }),
  'SettlementStep.status': STEP_STATUSES,
  'Simulation.status': valuesOf<SimulationView['status']>({
    SUCCESS: true,
    INSUFFICIENT_BALANCE: true,
    REVERTED: true,
    UNAVAILABLE: true,
  }),
  'StrategyTransaction.type': valuesOf<OperationView['type']>({
    SAMECHAIN_INVESTMENT_DEPOSIT: true,
    SAMECHAIN_INVESTMENT_WITHDRAW: true,
    CROSSCHAIN_INVESTMENT_DEPOSIT: true,
    CROSSCHAIN_INVESTMENT_WITHDRAW: true,
    REWARD_CLAIM: true,
  }),
  'SwapQuote.status': valuesOf<QuoteView['status']>({ pending: true }),
  'SwapQuote.transferSpeed': TRANSFER_SPEEDS,
  'SwapStatus.substatus': SUBSTATUSES,
};

const enumOf = ({ enum: values, anyOf = [] }: any): string[] => values ?? anyOf.flatMap(enumOf);
const ENUMS = Object.entries(FIELD_SCHEMAS).filter(([, schema]) => enumOf(schema).length > 0);

it.each(ENUMS)('the values of %s in OpenAPI are all those of the service', (field, schema) => {
  expect([...enumOf(schema)].sort()).toEqual([...(SOURCES[field] ?? [])].sort());
});

it('no source is for another field', () => {
  expect(Object.keys(SOURCES).sort()).toEqual(ENUMS.map(([field]) => field).sort());
});
