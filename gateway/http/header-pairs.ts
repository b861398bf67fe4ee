/** Headers as name and value. */
export type HeaderPairs = readonly (readonly [string, string])[];
