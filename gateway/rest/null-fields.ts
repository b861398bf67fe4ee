/** A nullable field that REST shows as `null` instead of omitting it. */
export interface KeptNull {
  readonly field: `${string}.${string}`;
  /** Limits the rule to requests for this output. */
  readonly whenOutput?: string;
}

/** Fields that the API specification defines as "or null". */
export const KEPT_NULLS: readonly KeptNull[] = [
  { field: 'Amounts.assetIn' },
  { field: 'Amounts.assetOut' },
  { field: 'Asset.amountInUSD' },
  { field: 'StrategyTransaction.quote' },
  { field: 'StrategyTransaction.userOperation', whenOutput: 'userOperation' },
  ...['SwapQuoteResult', 'SwapTransaction', 'Transfer'].flatMap((type): readonly KeptNull[] => [
    { field: `${type}.userOperation`, whenOutput: 'userOperation' },
    { field: `${type}.lutsByAddress`, whenOutput: 'instructions' },
  ]),
];

/** Outputs with nulls of their own. */
export const OUTPUTS_WITH_NULLS: readonly string[] = [
  ...new Set(KEPT_NULLS.flatMap(({ whenOutput }) => (whenOutput === undefined ? [] : [whenOutput]))),
];

/** Returns a predicate for the nulls that a response keeps for this output. */
export function keepsNull(output: string | undefined): (typeName: string, fieldName: string) => boolean {
  const kept = KEPT_NULLS.filter(({ whenOutput }) => whenOutput === undefined || whenOutput === output);
  const fields = new Set<string>(kept.map(({ field }) => field));
  return (typeName, fieldName) => fields.has(`${typeName}.${fieldName}`);
}
