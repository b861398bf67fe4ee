/** The data that the servers return. Both designs read it here. */

export interface Asset {
  readonly id: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  readonly priceUsd: string;
}

export interface Position {
  readonly id: string;
  /** Base units. */
  readonly amount: bigint;
  readonly assetId: string;
}

export const POSITIONS = 50;
export const WALLET = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';

const numbers = Array.from({ length: POSITIONS }, (_, index) => index + 1);

/** By id. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map(
  numbers.map((number) => [
    `asset-${number}`,
    {
      id: `asset-${number}`,
      symbol: `T${number}`,
      name: `Token number ${number}`,
      decimals: number % 2 === 0 ? 18 : 6,
      priceUsd: `${number}.25`,
    },
  ]),
);

/** By address of the wallet. */
export const POSITIONS_OF: ReadonlyMap<string, readonly Position[]> = new Map([
  [
    WALLET,
    numbers.map((number) => ({
      id: `position-${number}`,
      amount: 10n ** 18n * BigInt(number),
      assetId: `asset-${number}`,
    })),
  ],
]);

export const PING = { status: 'ok' } as const;
