/** True for a chain that the deployment can look at, of whatever kind; decided without a call. */
export const servesChain =
  (...connections: readonly { serves(chainId: number): boolean }[]) =>
  (chainId: number): boolean =>
    connections.some((connection) => connection.serves(chainId));
