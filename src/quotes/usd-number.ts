/**
 * The number nearest to a decimal in US dollars, as the API shows the US dollars of quotes and the prices of positions; up to 15
 * digits JSON shows exactly this decimal. The only place where an exact decimal becomes a floating-point number; nothing is calculated with it.
 */
export const usdNumber = (decimal: string): number => Number.parseFloat(decimal);
