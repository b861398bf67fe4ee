export type ParsedJson = { readonly value: unknown } | { readonly problem: string };

/**
 * The value of JSON in UTF-8, or what is wrong with it, without a part of it. Empty text is `undefined`. Values in one another,
 * their number, and keys that could change a prototype are limited.
 */
export function parseJsonText(body: Uint8Array): ParsedJson;

export interface JsonLimits {
  /** Arrays and objects in one another. */
  readonly depth: number;
  /** Commas outside of texts: about the number of values. */
  readonly values: number;
}

/** The limit that JSON exceeds, also when it is invalid. */
export function exceededLimit(json: Buffer, limits: JsonLimits): keyof JsonLimits | undefined;
