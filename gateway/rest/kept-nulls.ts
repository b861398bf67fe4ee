/** A nullable field that REST shows as `null` when it has no value, instead of leaving it out. */
export interface KeptNull {
  readonly field: `${string}.${string}`;
  /** Only when the request asks for this output. */
  readonly whenOutput?: string;
}

/** Where the contract says "or null". */
export const KEPT_NULLS: readonly KeptNull[] = [
  { field: 'Amounts.assetIn' },
  { field: 'Amounts.assetOut' },
  { field: 'Asset.amountInUSD' },
  ...['SwapQuoteResult', 'SwapTransaction', 'Transfer'].flatMap((type): readonly KeptNull[] => [
    { field: `${type}.userOperation`, whenOutput: 'userOperation' },
    { field: `${type}.lutsByAddress`, whenOutput: 'instructions' },
  ]),
];

/** The outputs that keep nulls of their own. */
export const OUTPUTS_WITH_NULLS: readonly string[] = [
  ...new Set(KEPT_NULLS.flatMap(({ whenOutput }) => (whenOutput === undefined ? [] : [whenOutput]))),
];

/** Tells which nulls the answer to a request for `output` keeps. */
export function keepsNull(output: string | undefined): (typeName: string, fieldName: string) => boolean {
  const kept = KEPT_NULLS.filter(({ whenOutput }) => whenOutput === undefined || whenOutput === output);
  const fields = new Set<string>(kept.map(({ field }) => field));
  return (typeName, fieldName) => fields.has(`${typeName}.${fieldName}`);
}
