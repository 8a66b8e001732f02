// What the scripts call the schemas of /openapi.json.
import type { components } from "./schemas.js";

type Schemas = components["schemas"];
type Member<Union, Name> = Union extends unknown ? (Name extends keyof Union ? Union[Name] : undefined) : never;
/** All members that one of several kinds has, each undefined where a kind has none of that name. */
type AnyOf<Union> = { [Name in Union extends unknown ? keyof Union : never]: Member<Union, Name> };

export type Item = AnyOf<
  Schemas["Event"] | Schemas["Class"] | Schemas["Camp"] | Schemas["Place"] | Schemas["NearbyItem"]
>;
export type Bounds = Schemas["Bounds"];
export type CalendarDay = Schemas["CalendarDay"];
export type Address = Schemas["CalendarAddress"];
export type Around = Schemas["Around"];
export type Facets = Schemas["Facets"];
export type FacetValue = Schemas["FacetValue"];
export type Metro = Schemas["Metro"];
export type Neighborhood = Schemas["Neighborhood"];
export type OrganizationCount = Schemas["OrganizationCount"];
export type SearchMeta = Schemas["SearchMeta"];
export type SearchResult = Schemas["SearchResult"];
export type Section = Schemas["Section"];
export type Suggestion = Schemas["Suggestion"];
export type Version = Schemas["ListingVersion"];

/** `{"data": …}`, as most routes answer. */
export type Body<Data> = { data: Data };

/** A list with its counts, as the explorer requests it. */
export type ListBody = { data: Item[]; meta: Schemas["ListMeta"]; facets: Facets };
export type CalendarBody = { data: CalendarDay[]; meta: Schemas["CalendarMeta"] };
export type DensityBody = { data: Schemas["DensityCell"][]; meta: Schemas["DensityMeta"] };
export type NearbyBody = { data: Item[]; meta: Schemas["NearbyMeta"] };
export type SearchBody = { data: SearchResult[]; meta: SearchMeta };
