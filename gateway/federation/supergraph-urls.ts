/** Replaces the URLs of subgraphs in a supergraph document, by the name of the subgraph. Others keep theirs. */
export function withSubgraphUrls(supergraphSdl: string, urls: ReadonlyMap<string, string>): string {
  return supergraphSdl.replace(
    /@join__graph\(name: "([^"]+)", url: "[^"]*"\)/g,
    (declaration: string, name: string) => {
      const url = urls.get(name);
      return url === undefined ? declaration : `@join__graph(name: "${name}", url: ${JSON.stringify(url)})`;
    },
  );
}
