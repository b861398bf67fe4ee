import fc from 'fast-check';
import { concatHex, type Hex, keccak256, numberToHex } from 'viem';
import { merkleTree } from './merkle-tree';

/** As OpenZeppelin's MerkleProof does it. */
const processProof = (leaf: Hex, proof: readonly Hex[]): Hex =>
  proof.reduce((node, sibling) => keccak256(concatHex(node < sibling ? [node, sibling] : [sibling, node])), leaf);

const leaves = fc
  .uniqueArray(fc.bigInt({ min: 0n, max: 2n ** 64n }), { minLength: 1, maxLength: 40 })
  .map((values) => values.map((value) => keccak256(numberToHex(value))) as [Hex, ...Hex[]]);

describe('the tree of a root bundle', () => {
  it('has a proof for each leaf, which leads to the root', () => {
    fc.assert(
      fc.property(leaves, (hashes) => {
        const { root, proofs } = merkleTree(hashes);
        expect(hashes.map((leaf, index) => processProof(leaf, proofs[index]!))).toEqual(hashes.map(() => root));
      }),
    );
  });

  it('has another root when a leaf is another', () => {
    fc.assert(
      fc.property(leaves, fc.nat(), (hashes, position) => {
        const changed = hashes.with(position % hashes.length, keccak256('0x')) as [Hex, ...Hex[]];
        expect(merkleTree(changed).root).not.toBe(merkleTree(hashes).root);
      }),
    );
  });
});
