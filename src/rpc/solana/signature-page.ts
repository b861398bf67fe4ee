/** A page of the transactions of an address: those older than `before`, the newest first. */
export interface SignaturePage {
  readonly address: string;
  readonly before: string | undefined;
  /** 1 to 1,000. */
  readonly limit: number;
  /** A node that is behind this slot fails. */
  readonly minSlot: number;
}
