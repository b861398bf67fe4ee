import { concatHex, type Hex, keccak256 } from 'viem';

/** A root over hashed leaves, and for each leaf, in their order, the siblings that lead to it. */
export interface MerkleTree {
  readonly root: Hex;
  readonly proofs: readonly (readonly Hex[])[];
}

type Layer = readonly [Hex, ...Hex[]];

/**
 * The tree that OpenZeppelin's `MerkleProof` verifies, and therefore the SpokePool: pairs are hashed in ascending order,
 * a node without a sibling moves up as it is.
 */
export function merkleTree(leaves: Layer): MerkleTree {
  const layers: Layer[] = [leaves];
  let top = leaves;
  while (top.length > 1) {
    top = parentsOf(top);
    layers.push(top);
  }
  return { root: top[0], proofs: leaves.map((_, index) => proofOf(layers, index)) };
}

function parentsOf(layer: Layer): Layer {
  const [first, ...others] = layer.flatMap((node, index) =>
    index % 2 === 0 ? [parentOf(node, layer[index + 1])] : [],
  );
  return [first ?? layer[0], ...others];
}

const parentOf = (left: Hex, right: Hex | undefined): Hex =>
  right === undefined ? left : keccak256(concatHex(left < right ? [left, right] : [right, left]));

const proofOf = (layers: readonly Layer[], leaf: number): readonly Hex[] =>
  layers.flatMap((layer, height) => layer[(leaf >> height) ^ 1] ?? []);
