/** An exact ratio of two integers; the denominator is positive. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export const times = (one: Fraction, other: Fraction): Fraction => ({
  numerator: one.numerator * other.numerator,
  denominator: one.denominator * other.denominator,
});

/** `amount` times the fraction, rounded down. */
export const shareOf = (amount: bigint, { numerator, denominator }: Fraction): bigint =>
  (amount * numerator) / denominator;
