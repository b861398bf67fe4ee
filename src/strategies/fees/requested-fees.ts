import { isSameAddress, parseEvmAddress, evmAddressProblem, ZERO_ADDRESS } from '../../chains/addresses';
import { createFieldReader, type FieldReader } from '../../errors/field-reader';
import { serviceError } from '../../errors/service-error';
import { type ValidationIssue, validationError } from '../../errors/validation';
import { MAX_FEE_BPS, profitBpsOf, type StrategyFees } from '../strategy-fees';

/** New fees of a strategy. What is not given stays as it is. */
export interface FeeChanges {
  readonly entryFeeBps?: number | null | undefined;
  readonly performanceFeeBps?: number | null | undefined;
  readonly markupFeeBps?: number | null | undefined;
  readonly feeCollector?: string | null | undefined;
  /** An empty text or the zero address removes it. */
  readonly markupRecipient?: string | null | undefined;
}

/** Fees as a customer requests them, without the marks. */
export type RequestedFees = Omit<StrategyFees, 'marks'>;

/** The given changes, in the form in which they are stored. `null` removes a recipient. */
export type ParsedChanges = {
  readonly [Name in keyof Omit<RequestedFees, 'markupRecipient'>]?: RequestedFees[Name];
} & { readonly markupRecipient?: string | null };

/** @throws VALIDATION_ERROR with all malformed fields at once, or when none is given */
export function parseFeeChanges(given: FeeChanges): ParsedChanges {
  const reader = createFieldReader({ ...given });
  const bounds = { minimum: 0, maximum: MAX_FEE_BPS };
  const entryBps = reader.integer('entryFeeBps', bounds);
  const performanceBps = reader.integer('performanceFeeBps', bounds);
  const markupBps = reader.integer('markupFeeBps', bounds);
  const collector = parseCollector(reader);
  const markupRecipient = parseMarkupRecipient(reader, given);
  if (reader.issues.length > 0) throw validationError(reader.issues);
  const changes = {
    ...(entryBps === undefined ? {} : { entryBps }),
    ...(performanceBps === undefined ? {} : { performanceBps }),
    ...(markupBps === undefined ? {} : { markupBps }),
    ...(collector === undefined ? {} : { collector }),
    ...(markupRecipient === undefined ? {} : { markupRecipient }),
  };
  if (Object.keys(changes).length > 0) return changes;
  throw validationError([{ path: 'entryFeeBps', message: 'or another setting is required' }]);
}

function parseCollector(reader: FieldReader): string | undefined {
  const collector = reader.parsed('feeCollector', parseEvmAddress, evmAddressProblem);
  if (!isSameAddress(collector, ZERO_ADDRESS)) return collector;
  reader.addIssue('feeCollector', 'must not be the zero address');
  return undefined;
}

function parseMarkupRecipient(reader: FieldReader, { markupRecipient: given }: FeeChanges): string | null | undefined {
  if (given === '') return null;
  const recipient = reader.parsed('markupRecipient', parseEvmAddress, evmAddressProblem);
  return isSameAddress(recipient, ZERO_ADDRESS) ? null : recipient;
}

/** The fees after changes. */
export function changedFees(former: RequestedFees, { markupRecipient, ...changes }: ParsedChanges): RequestedFees {
  const { entryBps, performanceBps, markupBps, collector } = { ...former, ...changes };
  const recipient = markupRecipient === undefined ? former.markupRecipient : (markupRecipient ?? undefined);
  return { entryBps, performanceBps, markupBps, collector, markupRecipient: recipient };
}

/**
 * Refuses fees that contradict each other.
 *
 * @throws VALIDATION_ERROR, MARKUP_RECIPIENT_CONFLICTS_WITH_PERFORMANCE_COLLECTOR
 */
export function assertConsistent(fees: RequestedFees): void {
  const issues: ValidationIssue[] = [];
  const { entryBps, collector, markupRecipient } = fees;
  if (profitBpsOf(fees) > MAX_FEE_BPS) {
    const message = `and performanceFeeBps together must be at most ${String(MAX_FEE_BPS)}`;
    issues.push({ path: 'markupFeeBps', message });
  }
  if (entryBps + profitBpsOf(fees) > 0 && collector === undefined)
    issues.push({ path: 'feeCollector', message: 'is required with a fee: the wallet that receives it' });
  if (issues.length > 0) throw validationError(issues);
  if (isSameAddress(markupRecipient, collector))
    throw serviceError('MARKUP_RECIPIENT_CONFLICTS_WITH_PERFORMANCE_COLLECTOR');
}
