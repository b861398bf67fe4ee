import { type Abi, toEventSelector, toFunctionSelector } from 'viem';
import { ownArtifact } from '../../devnet/artifacts';
import { COLLECTION_REGISTRY_ABI } from '../../src/strategies/collection/registry-contract';

const selectorsOf = (abi: Abi): readonly string[] =>
  abi.flatMap((item) => {
    if (item.type === 'function') return [toFunctionSelector(item)];
    return item.type === 'event' ? [toEventSelector(item)] : [];
  });

it('the functions and events that the service uses are those of the compiled registry', () => {
  const compiled = selectorsOf(ownArtifact('CollectionRegistry').abi);
  expect(selectorsOf(COLLECTION_REGISTRY_ABI).filter((selector) => !compiled.includes(selector))).toEqual([]);
});
