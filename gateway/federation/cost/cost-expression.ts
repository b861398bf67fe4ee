type Values = Readonly<Record<string, unknown>>;

/** A number that may depend on the variables of a request. Parts that do not depend on them are computed once. */
export type CostExpression = number | ((variables: Values) => number);

export const evaluate = (expression: CostExpression, variables: Values): number =>
  typeof expression === 'number' ? expression : expression(variables);

export function sum(expressions: readonly CostExpression[]): CostExpression {
  let constant = 0;
  const others: Exclude<CostExpression, number>[] = [];
  for (const expression of expressions) {
    if (typeof expression === 'number') constant += expression;
    else others.push(expression);
  }
  if (others.length === 0) return constant;
  return (variables) => others.reduce((total, other) => total + other(variables), constant);
}

export function product(first: CostExpression, second: CostExpression): CostExpression {
  if (typeof first === 'number' && typeof second === 'number') return first * second;
  return (variables) => evaluate(first, variables) * evaluate(second, variables);
}

export function map(expression: CostExpression, change: (value: number) => number): CostExpression {
  if (typeof expression === 'number') return change(expression);
  return (variables) => change(expression(variables));
}
