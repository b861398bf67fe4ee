import { type DocumentNode, Kind, type OperationDefinitionNode } from 'graphql';

/** Returns the operation of that name, or the only one. `undefined` when there is none, or without a name more than one. */
export function chooseOperation(
  document: DocumentNode,
  operationName: string | undefined,
): OperationDefinitionNode | undefined {
  const operations = document.definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  if (operationName !== undefined) return operations.find(({ name }) => name?.value === operationName);
  return operations.length === 1 ? operations[0] : undefined;
}
