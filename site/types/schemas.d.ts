// Written by tools/check_scripts from /openapi.json. Do not change it by hand.
export type paths = Record<string, never>;
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Activity: {
            score: number;
            percentile: number;
            summary: string;
            components: components["schemas"]["ActivityComponent"][];
            suggested_radius_m: number;
        };
        ActivityComponent: {
            /** @enum {string} */
            name: "events" | "classes" | "camps" | "places" | "variety" | "free_share";
            value: number | null;
            score: number;
            weight: number;
        };
        ActivityMeta: {
            metro: string;
            radius_m: number;
            window: components["schemas"]["Window"];
            types: string[];
            applied_filters: {
                [key: string]: string | number | boolean | string[] | {
                    [key: string]: components["schemas"]["SearchWindow"];
                };
            };
            defaults_applied: string[];
            min_confidence: number;
            generated_at: string;
        };
        Admission: {
            type: string | null;
            child_price: number | null;
            adult_price: number | null;
            infant_age_cutoff: number | null;
            notes: string | null;
            currency: string | null;
        };
        AgeRange: {
            min: number | null;
            max: number | null;
            text: string | null;
        };
        Ages: {
            min: number | null;
            max: number | null;
            text: string | null;
            /** @enum {string|null} */
            audience: "kids" | "families" | "teens" | "adults" | "all_ages" | null;
            bands: ("baby" | "toddler" | "young_kids" | "bigger_kids" | "teens")[];
        };
        Amenities: {
            has_outdoor_space: boolean | null;
            has_parking: boolean | null;
            parking_notes: string | null;
            has_wifi: boolean | null;
            socks_required: boolean | null;
            outside_food_allowed: boolean | null;
            stroller_policy: string | null;
        };
        AreaActivity: {
            location: components["schemas"]["Origin"];
            radius_m: number;
            score: number;
            percentile: number;
            summary: string;
            components: components["schemas"]["ActivityComponent"][];
            suggested_radius_m: number;
            counts: components["schemas"]["Counts"];
        };
        Around: {
            location: components["schemas"]["Origin"];
            activity: components["schemas"]["Activity"];
            results: components["schemas"]["AroundResults"];
            facets: components["schemas"]["AroundFacets"];
            coverage: components["schemas"]["AroundCoverage"];
        };
        AroundCoverage: {
            hidden_nearby: number;
            unplaceable_in_metro: number;
            /** @enum {string|null} */
            reason: "rows_without_coordinates" | "point_outside_metro" | null;
        };
        AroundFacets: {
            by_type: components["schemas"]["Counts"];
            by_age_band: {
                [key: string]: number;
            };
            by_price: components["schemas"]["AroundPrices"];
            free_share: number | null;
            by_distance_ring: components["schemas"]["DistanceRing"][];
        };
        AroundGroup: {
            total: number;
            returned: number;
            items: components["schemas"]["AroundItem"][];
            next_cursor: string | null;
        };
        AroundItem: {
            listing_id: string;
            /** @enum {string} */
            type: "event" | "class" | "camp" | "place";
            name: string;
            distance_m: number;
            walk_minutes: number | null;
            score: number;
            also_in: ("happening_soon" | "recurring_programs" | "classes_enrolling" | "camps" | "places")[];
            slug: string;
            starts_at: string | null;
            starts_local: string | null;
            ends_local: string | null;
            timezone: string | null;
            place: components["schemas"]["PlaceReference"] | null;
            neighborhood: string | null;
            lat: number;
            lng: number;
            price: components["schemas"]["Price"];
            ages: components["schemas"]["Ages"];
            image_url: string | null;
            is_indoor: boolean | null;
            links: components["schemas"]["ItemLinks"];
            source?: components["schemas"]["SourceBlock"];
            forecast?: components["schemas"]["EventForecast"];
        };
        AroundMeta: {
            metro: string;
            radius_m: number;
            window: components["schemas"]["Window"];
            types: string[];
            applied_filters: {
                [key: string]: string | number | boolean | string[] | {
                    [key: string]: components["schemas"]["SearchWindow"];
                };
            };
            defaults_applied: string[];
            min_confidence: number;
            generated_at: string;
            limit: number;
        };
        AroundPrices: {
            free: number;
            paid: number;
        };
        AroundResults: {
            happening_soon: components["schemas"]["AroundGroup"];
            recurring_programs: components["schemas"]["AroundGroup"];
            classes_enrolling: components["schemas"]["AroundGroup"];
            camps: components["schemas"]["AroundGroup"];
            places: components["schemas"]["AroundGroup"];
        };
        BirthdayParties: {
            available: boolean | null;
            min_guests: number | null;
            max_guests: number | null;
            age_range: string | null;
            booking_url: string | null;
            notes: string | null;
        };
        Bounds: {
            south: number;
            west: number;
            north: number;
            east: number;
        };
        CalendarAddress: {
            url: string;
        };
        CalendarDay: {
            date: string;
            count: number;
            free_count: number;
            categories: {
                [key: string]: number;
            };
            forecast?: components["schemas"]["DayForecast"];
        };
        CalendarMeta: {
            metro: string;
            window: components["schemas"]["Window"];
            min_confidence: number;
            total: number;
            applied_filters: {
                [key: string]: string | number | boolean | string[];
            };
            defaults_applied: string[];
            generated_at: string;
        };
        Camp: {
            id: string;
            /** @constant */
            type: "camp";
            slug: string;
            name: string;
            description: string | null;
            /** @enum {string} */
            audience: "kids" | "families" | "teens" | "adults" | "all_ages";
            categories: ("arts_creative" | "sports_active_play" | "storytime_books" | "music_movement" | "social_play_spaces" | "stem_discovery" | "nature_outdoors" | "animals_farms" | "museums_exhibits" | "theater_shows" | "dance_gymnastics" | "swim_water" | "food_cooking" | "festivals_seasonal" | "language_culture" | "parent_baby")[];
            image_url: string | null;
            organization: components["schemas"]["OrganizationReference"];
            confidence: number;
            verified_at: string | null;
            metro: string;
            /** @enum {string} */
            status: "published" | "archived";
            created_at: string | null;
            updated_at: string | null;
            place: components["schemas"]["PlaceReference"] | null;
            location: components["schemas"]["Location"];
            is_indoor: boolean | null;
            is_outdoor: boolean | null;
            good_for_rainy: boolean | null;
            is_sensory_friendly: boolean | null;
            /** @enum {string} */
            camp_type: "day" | "half_day" | "overnight" | "virtual" | "unknown";
            is_overnight: boolean | null;
            year: number | null;
            starts_on: string | null;
            ends_on: string | null;
            timezone: string;
            sessions_total: number;
            sessions: components["schemas"]["Session"][];
            extended_care: components["schemas"]["ExtendedCare"];
            meals_included: boolean | null;
            what_to_bring: string | null;
            price: components["schemas"]["Price"];
            registration: components["schemas"]["Registration"];
            ages: components["schemas"]["Ages"];
            traits: components["schemas"]["Traits"];
            links: components["schemas"]["EventLinks"];
            expanded?: components["schemas"]["Expanded"];
            source?: components["schemas"]["SourceBlock"];
            related?: components["schemas"]["Related"];
        };
        CampPart: {
            id: string;
            /** @constant */
            type: "camp";
        };
        /** @enum {string} */
        CampPath: "ages" | "ages.audience" | "ages.bands" | "ages.max" | "ages.min" | "ages.text" | "audience" | "camp_type" | "categories" | "confidence" | "created_at" | "description" | "ends_on" | "expanded" | "expanded.organization" | "expanded.organization.categories" | "expanded.organization.counts" | "expanded.organization.counts.camps" | "expanded.organization.counts.classes" | "expanded.organization.counts.events" | "expanded.organization.counts.places" | "expanded.organization.created_at" | "expanded.organization.description" | "expanded.organization.domain" | "expanded.organization.id" | "expanded.organization.image_url" | "expanded.organization.links" | "expanded.organization.links.camps" | "expanded.organization.links.classes" | "expanded.organization.links.events" | "expanded.organization.links.places" | "expanded.organization.links.self" | "expanded.organization.metros" | "expanded.organization.name" | "expanded.organization.slug" | "expanded.organization.status" | "expanded.organization.type" | "expanded.organization.updated_at" | "expanded.organization.verified_at" | "expanded.organization.website_url" | "expanded.place" | "expanded.place.admission" | "expanded.place.admission.adult_price" | "expanded.place.admission.child_price" | "expanded.place.admission.currency" | "expanded.place.admission.infant_age_cutoff" | "expanded.place.admission.notes" | "expanded.place.admission.type" | "expanded.place.ages" | "expanded.place.ages.audience" | "expanded.place.ages.bands" | "expanded.place.ages.max" | "expanded.place.ages.min" | "expanded.place.ages.text" | "expanded.place.amenities" | "expanded.place.amenities.has_outdoor_space" | "expanded.place.amenities.has_parking" | "expanded.place.amenities.has_wifi" | "expanded.place.amenities.outside_food_allowed" | "expanded.place.amenities.parking_notes" | "expanded.place.amenities.socks_required" | "expanded.place.amenities.stroller_policy" | "expanded.place.audience" | "expanded.place.birthday_parties" | "expanded.place.birthday_parties.age_range" | "expanded.place.birthday_parties.available" | "expanded.place.birthday_parties.booking_url" | "expanded.place.birthday_parties.max_guests" | "expanded.place.birthday_parties.min_guests" | "expanded.place.birthday_parties.notes" | "expanded.place.categories" | "expanded.place.classes" | "expanded.place.classes.age_range" | "expanded.place.classes.available" | "expanded.place.classes.registration_url" | "expanded.place.classes.schedule_notes" | "expanded.place.classes.types" | "expanded.place.confidence" | "expanded.place.created_at" | "expanded.place.description" | "expanded.place.hours" | "expanded.place.hours.exceptions" | "expanded.place.hours.friday" | "expanded.place.hours.monday" | "expanded.place.hours.notes" | "expanded.place.hours.saturday" | "expanded.place.hours.sunday" | "expanded.place.hours.thursday" | "expanded.place.hours.tuesday" | "expanded.place.hours.wednesday" | "expanded.place.id" | "expanded.place.image_url" | "expanded.place.images" | "expanded.place.is_sensory_friendly" | "expanded.place.links" | "expanded.place.links.camps" | "expanded.place.links.classes" | "expanded.place.links.events" | "expanded.place.links.self" | "expanded.place.location" | "expanded.place.location.address" | "expanded.place.location.city" | "expanded.place.location.lat" | "expanded.place.location.lng" | "expanded.place.location.neighborhood" | "expanded.place.location.neighborhood_slug" | "expanded.place.location.state" | "expanded.place.location.street_address" | "expanded.place.location.zip" | "expanded.place.membership" | "expanded.place.membership.available" | "expanded.place.membership.currency" | "expanded.place.membership.notes" | "expanded.place.membership.price_annual" | "expanded.place.membership.price_monthly" | "expanded.place.metro" | "expanded.place.name" | "expanded.place.organization" | "expanded.place.organization.id" | "expanded.place.organization.name" | "expanded.place.organization.slug" | "expanded.place.slug" | "expanded.place.source" | "expanded.place.source.crawled_at" | "expanded.place.source.date_health" | "expanded.place.source.score_basis" | "expanded.place.source.source_health" | "expanded.place.source.url" | "expanded.place.source.verification" | "expanded.place.source.verification.changed_fields" | "expanded.place.source.verification.checked_at" | "expanded.place.source.verification.status" | "expanded.place.status" | "expanded.place.type" | "expanded.place.type_hint" | "expanded.place.type_hint_notes" | "expanded.place.updated_at" | "expanded.place.verified_at" | "expanded.place.website_url" | "extended_care" | "extended_care.after_available" | "extended_care.before_available" | "extended_care.notes" | "extended_care.price" | "good_for_rainy" | "id" | "image_url" | "is_indoor" | "is_outdoor" | "is_overnight" | "is_sensory_friendly" | "links" | "links.organization" | "links.place" | "links.self" | "location" | "location.address" | "location.city" | "location.lat" | "location.lng" | "location.neighborhood" | "location.neighborhood_slug" | "location.state" | "location.street_address" | "location.zip" | "meals_included" | "metro" | "name" | "organization" | "organization.id" | "organization.name" | "organization.slug" | "place" | "place.id" | "place.name" | "place.slug" | "price" | "price.currency" | "price.is_free" | "price.max" | "price.min" | "price.note" | "price.scope" | "price.type" | "price.unit" | "registration" | "registration.has_spots_available" | "registration.opens_at" | "registration.spots_remaining" | "registration.status" | "registration.url" | "registration.waitlist_available" | "related" | "related.at_place" | "related.at_place.ages" | "related.at_place.ages.audience" | "related.at_place.ages.bands" | "related.at_place.ages.max" | "related.at_place.ages.min" | "related.at_place.ages.text" | "related.at_place.categories" | "related.at_place.id" | "related.at_place.image_url" | "related.at_place.links" | "related.at_place.name" | "related.at_place.place" | "related.at_place.place.id" | "related.at_place.place.name" | "related.at_place.place.slug" | "related.at_place.price" | "related.at_place.price.currency" | "related.at_place.price.is_free" | "related.at_place.price.max" | "related.at_place.price.min" | "related.at_place.price.note" | "related.at_place.price.scope" | "related.at_place.price.type" | "related.at_place.price.unit" | "related.at_place.slug" | "related.at_place.starts_local" | "related.at_place.timezone" | "related.at_place.type" | "related.from_organization" | "related.from_organization.ages" | "related.from_organization.ages.audience" | "related.from_organization.ages.bands" | "related.from_organization.ages.max" | "related.from_organization.ages.min" | "related.from_organization.ages.text" | "related.from_organization.categories" | "related.from_organization.id" | "related.from_organization.image_url" | "related.from_organization.links" | "related.from_organization.name" | "related.from_organization.place" | "related.from_organization.place.id" | "related.from_organization.place.name" | "related.from_organization.place.slug" | "related.from_organization.price" | "related.from_organization.price.currency" | "related.from_organization.price.is_free" | "related.from_organization.price.max" | "related.from_organization.price.min" | "related.from_organization.price.note" | "related.from_organization.price.scope" | "related.from_organization.price.type" | "related.from_organization.price.unit" | "related.from_organization.slug" | "related.from_organization.starts_local" | "related.from_organization.timezone" | "related.from_organization.type" | "related.similar" | "related.similar.ages" | "related.similar.ages.audience" | "related.similar.ages.bands" | "related.similar.ages.max" | "related.similar.ages.min" | "related.similar.ages.text" | "related.similar.categories" | "related.similar.id" | "related.similar.image_url" | "related.similar.links" | "related.similar.name" | "related.similar.place" | "related.similar.place.id" | "related.similar.place.name" | "related.similar.place.slug" | "related.similar.price" | "related.similar.price.currency" | "related.similar.price.is_free" | "related.similar.price.max" | "related.similar.price.min" | "related.similar.price.note" | "related.similar.price.scope" | "related.similar.price.type" | "related.similar.price.unit" | "related.similar.slug" | "related.similar.starts_local" | "related.similar.timezone" | "related.similar.type" | "sessions" | "sessions.ages" | "sessions.ages.max" | "sessions.ages.min" | "sessions.ages.text" | "sessions.days" | "sessions.end_time" | "sessions.ends_on" | "sessions.id" | "sessions.is_overnight" | "sessions.name" | "sessions.price" | "sessions.price.currency" | "sessions.price.is_free" | "sessions.price.max" | "sessions.price.min" | "sessions.price.note" | "sessions.price.scope" | "sessions.price.type" | "sessions.price.unit" | "sessions.registration" | "sessions.registration.has_spots_available" | "sessions.registration.opens_at" | "sessions.registration.spots_remaining" | "sessions.registration.status" | "sessions.registration.url" | "sessions.registration.waitlist_available" | "sessions.start_time" | "sessions.starts_on" | "sessions.theme" | "sessions.timezone" | "sessions.updated_at" | "sessions_total" | "slug" | "source" | "source.crawled_at" | "source.date_health" | "source.score_basis" | "source.source_health" | "source.url" | "source.verification" | "source.verification.changed_fields" | "source.verification.checked_at" | "source.verification.status" | "starts_on" | "status" | "timezone" | "traits" | "traits.seasons" | "type" | "updated_at" | "verified_at" | "what_to_bring" | "year";
        Center: {
            lat: number;
            lng: number;
        };
        Change: {
            version_id: number;
            listing_id: string;
            /** @enum {string} */
            type: "event" | "class" | "camp" | "place" | "organization";
            metro: string | null;
            slug: string;
            /** @enum {string} */
            kind: "created" | "updated" | "removed" | "restored";
            /** @enum {string|null} */
            reason: "archived" | "cancelled" | "expired" | "duplicate" | "withdrawn" | "unpublished" | null;
            replaced_by: string | null;
            changed_at: string;
            fields: string[];
            links: components["schemas"]["ChangeLinks"];
        };
        ChangeLinks: {
            self: string;
            versions: string;
        };
        ChangesMeta: {
            limit: number;
            count: number;
            has_more: boolean;
            next_cursor: number;
            earliest_version_id: number;
            latest_version_id: number;
            scope: string;
            generated_at: string | null;
        };
        Class: {
            id: string;
            /** @constant */
            type: "class";
            slug: string;
            name: string;
            description: string | null;
            /** @enum {string} */
            audience: "kids" | "families" | "teens" | "adults" | "all_ages";
            categories: ("arts_creative" | "sports_active_play" | "storytime_books" | "music_movement" | "social_play_spaces" | "stem_discovery" | "nature_outdoors" | "animals_farms" | "museums_exhibits" | "theater_shows" | "dance_gymnastics" | "swim_water" | "food_cooking" | "festivals_seasonal" | "language_culture" | "parent_baby")[];
            image_url: string | null;
            organization: components["schemas"]["OrganizationReference"];
            confidence: number;
            verified_at: string | null;
            metro: string;
            /** @enum {string} */
            status: "published" | "archived";
            created_at: string | null;
            updated_at: string | null;
            place: components["schemas"]["PlaceReference"] | null;
            location: components["schemas"]["Location"];
            is_indoor: boolean | null;
            is_outdoor: boolean | null;
            good_for_rainy: boolean | null;
            is_sensory_friendly: boolean | null;
            program: components["schemas"]["Program"];
            term: components["schemas"]["Term"];
            schedule: components["schemas"]["Schedule"];
            tuition: components["schemas"]["Tuition"];
            price: components["schemas"]["Price"];
            registration: components["schemas"]["ClassRegistration"];
            sections_total: number;
            sections: components["schemas"]["Section"][];
            ages: components["schemas"]["Ages"];
            traits: components["schemas"]["Traits"];
            occasions: ("halloween" | "thanksgiving" | "hanukkah" | "christmas" | "kwanzaa" | "new_year" | "lunar_new_year" | "valentines_day" | "st_patricks_day" | "passover" | "easter" | "ramadan_eid" | "mothers_day" | "fathers_day" | "juneteenth" | "independence_day" | "back_to_school" | "diwali" | "birthday")[];
            links: components["schemas"]["EventLinks"];
            sessions: components["schemas"]["CompactCard"][];
            expanded?: components["schemas"]["Expanded"];
            source?: components["schemas"]["SourceBlock"];
            related?: components["schemas"]["Related"];
        };
        ClassPart: {
            id: string;
            /** @constant */
            type: "class";
        };
        /** @enum {string} */
        ClassPath: "ages" | "ages.audience" | "ages.bands" | "ages.max" | "ages.min" | "ages.text" | "audience" | "categories" | "confidence" | "created_at" | "description" | "expanded" | "expanded.organization" | "expanded.organization.categories" | "expanded.organization.counts" | "expanded.organization.counts.camps" | "expanded.organization.counts.classes" | "expanded.organization.counts.events" | "expanded.organization.counts.places" | "expanded.organization.created_at" | "expanded.organization.description" | "expanded.organization.domain" | "expanded.organization.id" | "expanded.organization.image_url" | "expanded.organization.links" | "expanded.organization.links.camps" | "expanded.organization.links.classes" | "expanded.organization.links.events" | "expanded.organization.links.places" | "expanded.organization.links.self" | "expanded.organization.metros" | "expanded.organization.name" | "expanded.organization.slug" | "expanded.organization.status" | "expanded.organization.type" | "expanded.organization.updated_at" | "expanded.organization.verified_at" | "expanded.organization.website_url" | "expanded.place" | "expanded.place.admission" | "expanded.place.admission.adult_price" | "expanded.place.admission.child_price" | "expanded.place.admission.currency" | "expanded.place.admission.infant_age_cutoff" | "expanded.place.admission.notes" | "expanded.place.admission.type" | "expanded.place.ages" | "expanded.place.ages.audience" | "expanded.place.ages.bands" | "expanded.place.ages.max" | "expanded.place.ages.min" | "expanded.place.ages.text" | "expanded.place.amenities" | "expanded.place.amenities.has_outdoor_space" | "expanded.place.amenities.has_parking" | "expanded.place.amenities.has_wifi" | "expanded.place.amenities.outside_food_allowed" | "expanded.place.amenities.parking_notes" | "expanded.place.amenities.socks_required" | "expanded.place.amenities.stroller_policy" | "expanded.place.audience" | "expanded.place.birthday_parties" | "expanded.place.birthday_parties.age_range" | "expanded.place.birthday_parties.available" | "expanded.place.birthday_parties.booking_url" | "expanded.place.birthday_parties.max_guests" | "expanded.place.birthday_parties.min_guests" | "expanded.place.birthday_parties.notes" | "expanded.place.categories" | "expanded.place.classes" | "expanded.place.classes.age_range" | "expanded.place.classes.available" | "expanded.place.classes.registration_url" | "expanded.place.classes.schedule_notes" | "expanded.place.classes.types" | "expanded.place.confidence" | "expanded.place.created_at" | "expanded.place.description" | "expanded.place.hours" | "expanded.place.hours.exceptions" | "expanded.place.hours.friday" | "expanded.place.hours.monday" | "expanded.place.hours.notes" | "expanded.place.hours.saturday" | "expanded.place.hours.sunday" | "expanded.place.hours.thursday" | "expanded.place.hours.tuesday" | "expanded.place.hours.wednesday" | "expanded.place.id" | "expanded.place.image_url" | "expanded.place.images" | "expanded.place.is_sensory_friendly" | "expanded.place.links" | "expanded.place.links.camps" | "expanded.place.links.classes" | "expanded.place.links.events" | "expanded.place.links.self" | "expanded.place.location" | "expanded.place.location.address" | "expanded.place.location.city" | "expanded.place.location.lat" | "expanded.place.location.lng" | "expanded.place.location.neighborhood" | "expanded.place.location.neighborhood_slug" | "expanded.place.location.state" | "expanded.place.location.street_address" | "expanded.place.location.zip" | "expanded.place.membership" | "expanded.place.membership.available" | "expanded.place.membership.currency" | "expanded.place.membership.notes" | "expanded.place.membership.price_annual" | "expanded.place.membership.price_monthly" | "expanded.place.metro" | "expanded.place.name" | "expanded.place.organization" | "expanded.place.organization.id" | "expanded.place.organization.name" | "expanded.place.organization.slug" | "expanded.place.slug" | "expanded.place.source" | "expanded.place.source.crawled_at" | "expanded.place.source.date_health" | "expanded.place.source.score_basis" | "expanded.place.source.source_health" | "expanded.place.source.url" | "expanded.place.source.verification" | "expanded.place.source.verification.changed_fields" | "expanded.place.source.verification.checked_at" | "expanded.place.source.verification.status" | "expanded.place.status" | "expanded.place.type" | "expanded.place.type_hint" | "expanded.place.type_hint_notes" | "expanded.place.updated_at" | "expanded.place.verified_at" | "expanded.place.website_url" | "good_for_rainy" | "id" | "image_url" | "is_indoor" | "is_outdoor" | "is_sensory_friendly" | "links" | "links.organization" | "links.place" | "links.self" | "location" | "location.address" | "location.city" | "location.lat" | "location.lng" | "location.neighborhood" | "location.neighborhood_slug" | "location.state" | "location.street_address" | "location.zip" | "metro" | "name" | "occasions" | "organization" | "organization.id" | "organization.name" | "organization.slug" | "place" | "place.id" | "place.name" | "place.slug" | "price" | "price.currency" | "price.is_free" | "price.max" | "price.min" | "price.note" | "price.scope" | "price.type" | "price.unit" | "program" | "program.adult_participation" | "program.enrollment_type" | "program.prerequisites" | "program.skill_level_notes" | "program.what_youll_learn" | "registration" | "registration.has_spots_available" | "registration.opens_at" | "registration.sections_with_spots" | "registration.spots_remaining" | "registration.status" | "registration.url" | "registration.waitlist_available" | "related" | "related.at_place" | "related.at_place.ages" | "related.at_place.ages.audience" | "related.at_place.ages.bands" | "related.at_place.ages.max" | "related.at_place.ages.min" | "related.at_place.ages.text" | "related.at_place.categories" | "related.at_place.id" | "related.at_place.image_url" | "related.at_place.links" | "related.at_place.name" | "related.at_place.place" | "related.at_place.place.id" | "related.at_place.place.name" | "related.at_place.place.slug" | "related.at_place.price" | "related.at_place.price.currency" | "related.at_place.price.is_free" | "related.at_place.price.max" | "related.at_place.price.min" | "related.at_place.price.note" | "related.at_place.price.scope" | "related.at_place.price.type" | "related.at_place.price.unit" | "related.at_place.slug" | "related.at_place.starts_local" | "related.at_place.timezone" | "related.at_place.type" | "related.from_organization" | "related.from_organization.ages" | "related.from_organization.ages.audience" | "related.from_organization.ages.bands" | "related.from_organization.ages.max" | "related.from_organization.ages.min" | "related.from_organization.ages.text" | "related.from_organization.categories" | "related.from_organization.id" | "related.from_organization.image_url" | "related.from_organization.links" | "related.from_organization.name" | "related.from_organization.place" | "related.from_organization.place.id" | "related.from_organization.place.name" | "related.from_organization.place.slug" | "related.from_organization.price" | "related.from_organization.price.currency" | "related.from_organization.price.is_free" | "related.from_organization.price.max" | "related.from_organization.price.min" | "related.from_organization.price.note" | "related.from_organization.price.scope" | "related.from_organization.price.type" | "related.from_organization.price.unit" | "related.from_organization.slug" | "related.from_organization.starts_local" | "related.from_organization.timezone" | "related.from_organization.type" | "related.similar" | "related.similar.ages" | "related.similar.ages.audience" | "related.similar.ages.bands" | "related.similar.ages.max" | "related.similar.ages.min" | "related.similar.ages.text" | "related.similar.categories" | "related.similar.id" | "related.similar.image_url" | "related.similar.links" | "related.similar.name" | "related.similar.place" | "related.similar.place.id" | "related.similar.place.name" | "related.similar.place.slug" | "related.similar.price" | "related.similar.price.currency" | "related.similar.price.is_free" | "related.similar.price.max" | "related.similar.price.min" | "related.similar.price.note" | "related.similar.price.scope" | "related.similar.price.type" | "related.similar.price.unit" | "related.similar.slug" | "related.similar.starts_local" | "related.similar.timezone" | "related.similar.type" | "schedule" | "schedule.days" | "schedule.duration_minutes" | "schedule.end_time" | "schedule.is_recurring" | "schedule.notes" | "schedule.rrule" | "schedule.start_time" | "schedule.timezone" | "schedule.type" | "sections" | "sections.ages" | "sections.ages.max" | "sections.ages.min" | "sections.ages.text" | "sections.id" | "sections.name" | "sections.registration" | "sections.registration.has_spots_available" | "sections.registration.spots_remaining" | "sections.registration.status" | "sections.registration.url" | "sections.registration.waitlist_available" | "sections.schedule" | "sections.schedule.days" | "sections.schedule.duration_minutes" | "sections.schedule.end_time" | "sections.schedule.notes" | "sections.schedule.rrule" | "sections.schedule.start_time" | "sections.schedule.timezone" | "sections.term" | "sections.term.ends_on" | "sections.term.name" | "sections.term.starts_on" | "sections.term.total_classes" | "sections.tuition" | "sections.tuition.amount" | "sections.tuition.currency" | "sections.tuition.drop_in_price" | "sections.tuition.text" | "sections.updated_at" | "sections_total" | "sessions" | "sessions.ages" | "sessions.ages.audience" | "sessions.ages.bands" | "sessions.ages.max" | "sessions.ages.min" | "sessions.ages.text" | "sessions.categories" | "sessions.id" | "sessions.image_url" | "sessions.links" | "sessions.name" | "sessions.place" | "sessions.place.id" | "sessions.place.name" | "sessions.place.slug" | "sessions.price" | "sessions.price.currency" | "sessions.price.is_free" | "sessions.price.max" | "sessions.price.min" | "sessions.price.note" | "sessions.price.scope" | "sessions.price.type" | "sessions.price.unit" | "sessions.slug" | "sessions.starts_local" | "sessions.timezone" | "sessions.type" | "slug" | "source" | "source.crawled_at" | "source.date_health" | "source.score_basis" | "source.source_health" | "source.url" | "source.verification" | "source.verification.changed_fields" | "source.verification.checked_at" | "source.verification.status" | "status" | "term" | "term.ends_on" | "term.name" | "term.starts_on" | "term.total_classes" | "traits" | "traits.seasons" | "tuition" | "tuition.amount" | "tuition.currency" | "tuition.drop_in_price" | "tuition.from" | "tuition.text" | "tuition.trial_notes" | "tuition.trial_price" | "type" | "updated_at" | "verified_at";
        ClassRegistration: {
            url: string | null;
            /** @enum {string|null} */
            status: "open" | "upcoming" | "waitlist" | "full" | "closed" | "unknown" | null;
            opens_at: string | null;
            spots_remaining: number | null;
            has_spots_available: boolean | null;
            waitlist_available: boolean | null;
            sections_with_spots: number | null;
        };
        CompactCard: {
            id: string;
            /** @enum {string} */
            type: "event" | "class" | "camp" | "place";
            slug: string;
            name: string;
            starts_local: string | null;
            timezone: string | null;
            place: components["schemas"]["PlaceReference"] | null;
            price: components["schemas"]["Price"] | null;
            ages: components["schemas"]["Ages"];
            categories: ("arts_creative" | "sports_active_play" | "storytime_books" | "music_movement" | "social_play_spaces" | "stem_discovery" | "nature_outdoors" | "animals_farms" | "museums_exhibits" | "theater_shows" | "dance_gymnastics" | "swim_water" | "food_cooking" | "festivals_seasonal" | "language_culture" | "parent_baby")[];
            image_url: string | null;
            links: {
                [key: string]: string;
            };
        };
        Counts: {
            events: number;
            classes: number;
            camps: number;
            places: number;
        };
        Coverage: {
            metro: string;
            listings: {
                [key: string]: components["schemas"]["TypeCoverage"];
            };
            freshness: components["schemas"]["Freshness"];
            quality: components["schemas"]["Quality"];
            verification: {
                [key: string]: number;
            };
            neighborhoods: components["schemas"]["NeighborhoodCoverage"];
            release: components["schemas"]["CoverageRelease"];
        };
        CoverageMeta: {
            metro: string;
            applied_filters: {
                [key: string]: string | number | boolean | string[];
            };
            defaults_applied: string[];
            generated_at: string;
        };
        CoverageRelease: {
            id: string;
            built_at: string;
        };
        DayForecast: {
            summary: string | null;
            temperature_f: components["schemas"]["TemperatureRange"];
            precipitation_chance_max: number | null;
            wet_hours: [
                number,
                number
            ][];
            issued_at: string;
            expires_at: string;
        };
        DensityCell: {
            south: number;
            west: number;
            count: number;
        };
        DensityMeta: {
            metro: string;
            degrees: number;
            total: number;
            without_coordinates: number;
            window: components["schemas"]["Window"];
            min_confidence: number;
            applied_filters: {
                [key: string]: string | number | boolean | string[];
            };
            defaults_applied: string[];
            generated_at: string;
        };
        DirectoryMeta: {
            limit: number;
            count: number;
            has_more: boolean;
            next_cursor: string | null;
            page: number | null;
            applied_filters: {
                [key: string]: string | number | boolean | string[];
            };
            defaults_applied: string[];
            metro: string;
            generated_at: string;
            hint: string | null;
        };
        DistanceRing: {
            /** @enum {string} */
            label: "walk" | "bike" | "short_drive" | "drive";
            max_m: number;
            count: number;
        };
        Event: {
            id: string;
            /** @constant */
            type: "event";
            slug: string;
            name: string;
            description: string | null;
            /** @enum {string} */
            audience: "kids" | "families" | "teens" | "adults" | "all_ages";
            categories: ("arts_creative" | "sports_active_play" | "storytime_books" | "music_movement" | "social_play_spaces" | "stem_discovery" | "nature_outdoors" | "animals_farms" | "museums_exhibits" | "theater_shows" | "dance_gymnastics" | "swim_water" | "food_cooking" | "festivals_seasonal" | "language_culture" | "parent_baby")[];
            image_url: string | null;
            organization: components["schemas"]["OrganizationReference"];
            confidence: number;
            verified_at: string | null;
            metro: string;
            /** @enum {string} */
            status: "published" | "archived";
            created_at: string | null;
            updated_at: string | null;
            place: components["schemas"]["PlaceReference"] | null;
            location: components["schemas"]["Location"];
            is_indoor: boolean | null;
            is_outdoor: boolean | null;
            good_for_rainy: boolean | null;
            is_sensory_friendly: boolean | null;
            starts_local: string | null;
            ends_local: string | null;
            start_time: string | null;
            has_time: boolean;
            has_date: boolean;
            all_day: boolean;
            timezone: string;
            starts_at: string | null;
            ends_at: string | null;
            is_recurring: boolean;
            rrule: string | null;
            exdates: string[];
            rdates: string[];
            recurrence_description: string | null;
            price: components["schemas"]["Price"];
            ages: components["schemas"]["Ages"];
            traits: components["schemas"]["Traits"];
            occasions: ("halloween" | "thanksgiving" | "hanukkah" | "christmas" | "kwanzaa" | "new_year" | "lunar_new_year" | "valentines_day" | "st_patricks_day" | "passover" | "easter" | "ramadan_eid" | "mothers_day" | "fathers_day" | "juneteenth" | "independence_day" | "back_to_school" | "diwali" | "birthday")[];
            teams: ("mariners" | "seahawks" | "kraken" | "sounders" | "storm")[];
            registration_url: string | null;
            ticket_url: string | null;
            registration_required: boolean | null;
            is_sold_out: boolean | null;
            links: components["schemas"]["EventLinks"];
            occurrence?: components["schemas"]["Occurrence"];
            expanded?: components["schemas"]["Expanded"];
            source?: components["schemas"]["SourceBlock"];
            forecast?: components["schemas"]["EventForecast"];
            related?: components["schemas"]["Related"];
        };
        EventForecast: {
            /** @enum {string} */
            covers: "event_hours" | "local_day";
            summary: string | null;
            temperature_f: components["schemas"]["TemperatureRange"];
            precipitation_chance_max: number | null;
            wet_hours: [
                number,
                number
            ][];
            hours: components["schemas"]["HourForecast"][];
            issued_at: string;
            expires_at: string;
        };
        EventLinks: {
            self: string;
            place: string | null;
            organization: string | null;
        };
        EventPart: {
            id: string;
            /** @constant */
            type: "event";
        };
        /** @enum {string} */
        EventPath: "ages" | "ages.audience" | "ages.bands" | "ages.max" | "ages.min" | "ages.text" | "all_day" | "audience" | "categories" | "confidence" | "created_at" | "description" | "ends_at" | "ends_local" | "exdates" | "expanded" | "expanded.organization" | "expanded.organization.categories" | "expanded.organization.counts" | "expanded.organization.counts.camps" | "expanded.organization.counts.classes" | "expanded.organization.counts.events" | "expanded.organization.counts.places" | "expanded.organization.created_at" | "expanded.organization.description" | "expanded.organization.domain" | "expanded.organization.id" | "expanded.organization.image_url" | "expanded.organization.links" | "expanded.organization.links.camps" | "expanded.organization.links.classes" | "expanded.organization.links.events" | "expanded.organization.links.places" | "expanded.organization.links.self" | "expanded.organization.metros" | "expanded.organization.name" | "expanded.organization.slug" | "expanded.organization.status" | "expanded.organization.type" | "expanded.organization.updated_at" | "expanded.organization.verified_at" | "expanded.organization.website_url" | "expanded.place" | "expanded.place.admission" | "expanded.place.admission.adult_price" | "expanded.place.admission.child_price" | "expanded.place.admission.currency" | "expanded.place.admission.infant_age_cutoff" | "expanded.place.admission.notes" | "expanded.place.admission.type" | "expanded.place.ages" | "expanded.place.ages.audience" | "expanded.place.ages.bands" | "expanded.place.ages.max" | "expanded.place.ages.min" | "expanded.place.ages.text" | "expanded.place.amenities" | "expanded.place.amenities.has_outdoor_space" | "expanded.place.amenities.has_parking" | "expanded.place.amenities.has_wifi" | "expanded.place.amenities.outside_food_allowed" | "expanded.place.amenities.parking_notes" | "expanded.place.amenities.socks_required" | "expanded.place.amenities.stroller_policy" | "expanded.place.audience" | "expanded.place.birthday_parties" | "expanded.place.birthday_parties.age_range" | "expanded.place.birthday_parties.available" | "expanded.place.birthday_parties.booking_url" | "expanded.place.birthday_parties.max_guests" | "expanded.place.birthday_parties.min_guests" | "expanded.place.birthday_parties.notes" | "expanded.place.categories" | "expanded.place.classes" | "expanded.place.classes.age_range" | "expanded.place.classes.available" | "expanded.place.classes.registration_url" | "expanded.place.classes.schedule_notes" | "expanded.place.classes.types" | "expanded.place.confidence" | "expanded.place.created_at" | "expanded.place.description" | "expanded.place.hours" | "expanded.place.hours.exceptions" | "expanded.place.hours.friday" | "expanded.place.hours.monday" | "expanded.place.hours.notes" | "expanded.place.hours.saturday" | "expanded.place.hours.sunday" | "expanded.place.hours.thursday" | "expanded.place.hours.tuesday" | "expanded.place.hours.wednesday" | "expanded.place.id" | "expanded.place.image_url" | "expanded.place.images" | "expanded.place.is_sensory_friendly" | "expanded.place.links" | "expanded.place.links.camps" | "expanded.place.links.classes" | "expanded.place.links.events" | "expanded.place.links.self" | "expanded.place.location" | "expanded.place.location.address" | "expanded.place.location.city" | "expanded.place.location.lat" | "expanded.place.location.lng" | "expanded.place.location.neighborhood" | "expanded.place.location.neighborhood_slug" | "expanded.place.location.state" | "expanded.place.location.street_address" | "expanded.place.location.zip" | "expanded.place.membership" | "expanded.place.membership.available" | "expanded.place.membership.currency" | "expanded.place.membership.notes" | "expanded.place.membership.price_annual" | "expanded.place.membership.price_monthly" | "expanded.place.metro" | "expanded.place.name" | "expanded.place.organization" | "expanded.place.organization.id" | "expanded.place.organization.name" | "expanded.place.organization.slug" | "expanded.place.slug" | "expanded.place.source" | "expanded.place.source.crawled_at" | "expanded.place.source.date_health" | "expanded.place.source.score_basis" | "expanded.place.source.source_health" | "expanded.place.source.url" | "expanded.place.source.verification" | "expanded.place.source.verification.changed_fields" | "expanded.place.source.verification.checked_at" | "expanded.place.source.verification.status" | "expanded.place.status" | "expanded.place.type" | "expanded.place.type_hint" | "expanded.place.type_hint_notes" | "expanded.place.updated_at" | "expanded.place.verified_at" | "expanded.place.website_url" | "forecast" | "forecast.covers" | "forecast.expires_at" | "forecast.hours" | "forecast.hours.precipitation_chance" | "forecast.hours.starts_local" | "forecast.hours.summary" | "forecast.hours.temperature_f" | "forecast.issued_at" | "forecast.precipitation_chance_max" | "forecast.summary" | "forecast.temperature_f" | "forecast.temperature_f.max" | "forecast.temperature_f.min" | "forecast.wet_hours" | "good_for_rainy" | "has_date" | "has_time" | "id" | "image_url" | "is_indoor" | "is_outdoor" | "is_recurring" | "is_sensory_friendly" | "is_sold_out" | "links" | "links.organization" | "links.place" | "links.self" | "location" | "location.address" | "location.city" | "location.lat" | "location.lng" | "location.neighborhood" | "location.neighborhood_slug" | "location.state" | "location.street_address" | "location.zip" | "metro" | "name" | "occasions" | "occurrence" | "occurrence.date_on" | "occurrence.ends_at" | "occurrence.ends_local" | "occurrence.index" | "occurrence.is_first" | "occurrence.is_last" | "occurrence.key" | "occurrence.next_starts_at" | "occurrence.next_starts_local" | "occurrence.remaining" | "occurrence.starts_at" | "occurrence.starts_local" | "occurrence.total" | "organization" | "organization.id" | "organization.name" | "organization.slug" | "place" | "place.id" | "place.name" | "place.slug" | "price" | "price.currency" | "price.is_free" | "price.max" | "price.min" | "price.note" | "price.scope" | "price.type" | "price.unit" | "rdates" | "recurrence_description" | "registration_required" | "registration_url" | "related" | "related.at_place" | "related.at_place.ages" | "related.at_place.ages.audience" | "related.at_place.ages.bands" | "related.at_place.ages.max" | "related.at_place.ages.min" | "related.at_place.ages.text" | "related.at_place.categories" | "related.at_place.id" | "related.at_place.image_url" | "related.at_place.links" | "related.at_place.name" | "related.at_place.place" | "related.at_place.place.id" | "related.at_place.place.name" | "related.at_place.place.slug" | "related.at_place.price" | "related.at_place.price.currency" | "related.at_place.price.is_free" | "related.at_place.price.max" | "related.at_place.price.min" | "related.at_place.price.note" | "related.at_place.price.scope" | "related.at_place.price.type" | "related.at_place.price.unit" | "related.at_place.slug" | "related.at_place.starts_local" | "related.at_place.timezone" | "related.at_place.type" | "related.from_organization" | "related.from_organization.ages" | "related.from_organization.ages.audience" | "related.from_organization.ages.bands" | "related.from_organization.ages.max" | "related.from_organization.ages.min" | "related.from_organization.ages.text" | "related.from_organization.categories" | "related.from_organization.id" | "related.from_organization.image_url" | "related.from_organization.links" | "related.from_organization.name" | "related.from_organization.place" | "related.from_organization.place.id" | "related.from_organization.place.name" | "related.from_organization.place.slug" | "related.from_organization.price" | "related.from_organization.price.currency" | "related.from_organization.price.is_free" | "related.from_organization.price.max" | "related.from_organization.price.min" | "related.from_organization.price.note" | "related.from_organization.price.scope" | "related.from_organization.price.type" | "related.from_organization.price.unit" | "related.from_organization.slug" | "related.from_organization.starts_local" | "related.from_organization.timezone" | "related.from_organization.type" | "related.similar" | "related.similar.ages" | "related.similar.ages.audience" | "related.similar.ages.bands" | "related.similar.ages.max" | "related.similar.ages.min" | "related.similar.ages.text" | "related.similar.categories" | "related.similar.id" | "related.similar.image_url" | "related.similar.links" | "related.similar.name" | "related.similar.place" | "related.similar.place.id" | "related.similar.place.name" | "related.similar.place.slug" | "related.similar.price" | "related.similar.price.currency" | "related.similar.price.is_free" | "related.similar.price.max" | "related.similar.price.min" | "related.similar.price.note" | "related.similar.price.scope" | "related.similar.price.type" | "related.similar.price.unit" | "related.similar.slug" | "related.similar.starts_local" | "related.similar.timezone" | "related.similar.type" | "rrule" | "slug" | "source" | "source.crawled_at" | "source.date_health" | "source.score_basis" | "source.source_health" | "source.url" | "source.verification" | "source.verification.changed_fields" | "source.verification.checked_at" | "source.verification.status" | "start_time" | "starts_at" | "starts_local" | "status" | "teams" | "ticket_url" | "timezone" | "traits" | "traits.seasons" | "type" | "updated_at" | "verified_at";
        Expanded: {
            place?: components["schemas"]["Place"] | null;
            organization?: components["schemas"]["Organization"] | null;
        };
        ExportFile: {
            /** @enum {string} */
            type: "event" | "class" | "camp" | "place" | "organization" | "occurrence";
            /** @enum {string} */
            format: "jsonl" | "parquet" | "ics";
            content_type: string;
            rows: number;
            size: number;
            sha256: string;
            rows_hash: string;
            links: components["schemas"]["ExportLinks"];
        };
        ExportLinks: {
            self: string;
        };
        ExportMeta: {
            metro: string;
            count: number;
            latest_version_id: number;
            generated_at: string;
        };
        ExtendedCare: {
            before_available: boolean | null;
            after_available: boolean | null;
            price: number | null;
            notes: string | null;
        };
        FacetValue: {
            value: string;
            count: number;
        };
        Facets: {
            total: number;
            is_complete: boolean;
            category?: components["schemas"]["FacetValue"][];
            weekday?: components["schemas"]["FacetValue"][];
            time_block?: components["schemas"]["FacetValue"][];
            price_band?: components["schemas"]["FacetValue"][];
            age_band?: components["schemas"]["FacetValue"][];
            organization?: components["schemas"]["OrganizationFacet"];
        };
        Failure: {
            error: components["schemas"]["FailureMembers"];
        };
        FailureDetails: {
            param?: string;
            /** @enum {string} */
            reason?: "unknown_parameter" | "parameter_not_supported" | "missing_parameter" | "invalid_value" | "out_of_range" | "contradictory" | "window_too_long" | "nothing_searchable" | "metro_required" | "include_not_supported" | "cursor_malformed" | "cursor_mismatch" | "cursor_expired" | "cursor_ahead";
            allowed?: string[];
            min?: number | string;
            max?: number | string;
            did_you_mean?: string;
            metros?: string[];
            types?: string[];
            include?: string;
            plans?: string[];
            grantable?: string[];
            links?: {
                [key: string]: string;
            };
            feature?: string;
            position?: number;
            allow?: ("GET" | "HEAD" | "OPTIONS")[];
            release?: string | null;
            problems?: {
                [key: string]: string;
            };
        };
        FailureMembers: {
            /** @enum {string} */
            code: "bad_request" | "unauthorized" | "forbidden" | "include_not_permitted" | "feature_not_in_plan" | "not_found" | "method_not_allowed" | "rate_limited" | "quota_exceeded" | "internal" | "not_implemented" | "unavailable";
            message: string;
            request_id: string;
            details?: components["schemas"]["FailureDetails"];
        };
        Freshness: {
            newest_crawled_at: string | null;
            median_age_hours: number | null;
            crawled_7d_share: number | null;
            verified_30d_share: number | null;
        };
        Health: {
            status: string;
        };
        HourForecast: {
            starts_local: string;
            summary: string | null;
            temperature_f: number | null;
            precipitation_chance: number | null;
        };
        Hours: {
            monday: string | null;
            tuesday: string | null;
            wednesday: string | null;
            thursday: string | null;
            friday: string | null;
            saturday: string | null;
            sunday: string | null;
            notes: string | null;
            exceptions: string | null;
        };
        Interpreted: {
            age: components["schemas"]["InterpretedAge"] | null;
            beginning: string | null;
        };
        InterpretedAge: {
            min: number;
            max: number | null;
            from: string;
            overridden_by: string | null;
        };
        ItemLinks: {
            self: string;
        };
        ListMeta: {
            limit: number;
            count: number;
            has_more: boolean;
            next_cursor: string | null;
            page: number | null;
            applied_filters: {
                [key: string]: string | number | boolean | string[];
            };
            defaults_applied: string[];
            min_confidence: number;
            window: components["schemas"]["Window"];
            metro: string;
            generated_at: string;
            missing_ids: string[];
        };
        ListingVersion: {
            version_id: number;
            changed_at: string;
            /** @enum {string} */
            kind: "created" | "updated" | "removed" | "restored";
            fields: string[];
            /** @enum {string|null} */
            reason: "archived" | "cancelled" | "expired" | "duplicate" | "withdrawn" | "unpublished" | null;
        };
        Location: {
            address: string | null;
            street_address: string | null;
            city: string | null;
            state: string | null;
            zip: string | null;
            lat: number | null;
            lng: number | null;
            neighborhood: string | null;
            neighborhood_slug: string | null;
        };
        MatchCounts: {
            all_terms: number;
            related: number;
            partial: number;
        };
        Membership: {
            available: boolean | null;
            price_monthly: number | null;
            price_annual: number | null;
            notes: string | null;
            currency: string | null;
        };
        Metro: {
            slug: string;
            name: string;
            timezone: string;
            aliases: string[];
            center: components["schemas"]["Center"];
            bounds: components["schemas"]["Bounds"];
            counts: components["schemas"]["Counts"];
            accessible: boolean;
            links: {
                [key: string]: string;
            };
        };
        MetrosMeta: {
            count: number;
            generated_at: string | null;
        };
        NearCoverage: {
            hidden_nearby: number;
        };
        NearbyItem: {
            /** @enum {string} */
            type: "event" | "class" | "camp" | "place";
            id: string;
            slug: string;
            name: string;
            distance_m: number;
            starts_at: string | null;
            starts_local: string | null;
            timezone: string | null;
            place: components["schemas"]["PlaceReference"] | null;
            location: components["schemas"]["Location"];
            price: components["schemas"]["Price"];
            ages: components["schemas"]["Ages"];
            categories: ("arts_creative" | "sports_active_play" | "storytime_books" | "music_movement" | "social_play_spaces" | "stem_discovery" | "nature_outdoors" | "animals_farms" | "museums_exhibits" | "theater_shows" | "dance_gymnastics" | "swim_water" | "food_cooking" | "festivals_seasonal" | "language_culture" | "parent_baby")[];
            image_url: string | null;
            links: components["schemas"]["ItemLinks"];
            source?: components["schemas"]["SourceBlock"];
        };
        NearbyItemPart: {
            id: string;
            /** @enum {string} */
            type: "event" | "class" | "camp" | "place";
        };
        /** @enum {string} */
        NearbyItemPath: "ages" | "ages.audience" | "ages.bands" | "ages.max" | "ages.min" | "ages.text" | "categories" | "distance_m" | "id" | "image_url" | "links" | "links.self" | "location" | "location.address" | "location.city" | "location.lat" | "location.lng" | "location.neighborhood" | "location.neighborhood_slug" | "location.state" | "location.street_address" | "location.zip" | "name" | "place" | "place.id" | "place.name" | "place.slug" | "price" | "price.currency" | "price.is_free" | "price.max" | "price.min" | "price.note" | "price.scope" | "price.type" | "price.unit" | "slug" | "source" | "source.crawled_at" | "source.date_health" | "source.score_basis" | "source.source_health" | "source.url" | "source.verification" | "source.verification.changed_fields" | "source.verification.checked_at" | "source.verification.status" | "starts_at" | "starts_local" | "timezone" | "type";
        NearbyMeta: {
            limit: number;
            count: number;
            has_more: boolean;
            next_cursor: string | null;
            page: number | null;
            applied_filters: {
                [key: string]: string | number | boolean | string[] | {
                    [key: string]: components["schemas"]["SearchWindow"];
                };
            };
            defaults_applied: string[];
            min_confidence: number;
            window: components["schemas"]["Window"];
            metro: string;
            types: string[];
            origin: components["schemas"]["Origin"];
            radius_m: number;
            coverage: components["schemas"]["NearCoverage"];
            generated_at: string;
            missing_ids: string[];
        };
        Neighborhood: {
            slug: string;
            name: string;
            metro: string;
            center: components["schemas"]["NeighborhoodCenter"];
            bounds: components["schemas"]["Bounds"] | null;
            counts: components["schemas"]["NeighborhoodCounts"];
            links: components["schemas"]["NeighborhoodLinks"];
        };
        NeighborhoodCenter: {
            lat: number | null;
            lng: number | null;
        };
        NeighborhoodCounts: {
            events: number;
            classes: number;
            camps: number;
            places: number;
            total: number;
        };
        NeighborhoodCoverage: {
            named: number;
            with_listings: number;
        };
        NeighborhoodLinks: {
            events: string;
            classes: string;
            camps: string;
            places: string;
        };
        Notice: {
            /** @enum {string} */
            code: "include_not_permitted" | "related_unavailable" | "forecast_unavailable" | "source_unavailable" | "parameter_deprecated" | "parameter_ignored" | "facets_incomplete" | "point_outside_metro" | "rows_without_coordinates";
            message: string;
            include?: string | null;
            param?: string | null;
            details?: Record<string, never> | null;
            links?: {
                [key: string]: string;
            } | null;
        };
        Occurrence: {
            next_starts_at: string | null;
            next_starts_local: string | null;
            remaining: number | null;
            total: number | null;
            key?: string;
            starts_at?: string;
            starts_local?: string;
            ends_at?: string | null;
            ends_local?: string | null;
            date_on?: string;
            index?: number;
            is_first?: boolean;
            is_last?: boolean;
        };
        Organization: {
            id: string;
            /** @constant */
            type: "organization";
            slug: string;
            name: string;
            description: string | null;
            website_url: string | null;
            domain: string | null;
            image_url: string | null;
            verified_at: string | null;
            /** @enum {string} */
            status: "published" | "archived";
            created_at: string | null;
            updated_at: string | null;
            links: components["schemas"]["OrganizationLinks"];
            categories: ("arts_creative" | "sports_active_play" | "storytime_books" | "music_movement" | "social_play_spaces" | "stem_discovery" | "nature_outdoors" | "animals_farms" | "museums_exhibits" | "theater_shows" | "dance_gymnastics" | "swim_water" | "food_cooking" | "festivals_seasonal" | "language_culture" | "parent_baby")[];
            metros: string[];
            counts: components["schemas"]["Counts"];
        };
        OrganizationCount: {
            id: string;
            name: string;
            count: number;
        };
        OrganizationEntry: {
            id: string;
            /** @constant */
            type: "organization";
            slug: string;
            name: string;
            website_url: string | null;
            domain: string | null;
            image_url: string | null;
            counts: components["schemas"]["Counts"];
            score: number | null;
            match: ("domain" | "exact_domain" | "exact_name" | "fuzzy" | "name") | null;
            links: components["schemas"]["OrganizationLinks"];
        };
        OrganizationEntryPart: {
            id: string;
            /** @constant */
            type: "organization";
        };
        /** @enum {string} */
        OrganizationEntryPath: "counts" | "counts.camps" | "counts.classes" | "counts.events" | "counts.places" | "domain" | "id" | "image_url" | "links" | "links.camps" | "links.classes" | "links.events" | "links.places" | "links.self" | "match" | "name" | "score" | "slug" | "type" | "website_url";
        OrganizationFacet: {
            distinct: number;
            top: components["schemas"]["OrganizationCount"][];
            other_count: number;
            unspecified_count: number;
        };
        OrganizationLinks: {
            self: string;
            events: string;
            classes: string;
            camps: string;
            places: string;
        };
        OrganizationPart: {
            id: string;
            /** @constant */
            type: "organization";
        };
        /** @enum {string} */
        OrganizationPath: "categories" | "counts" | "counts.camps" | "counts.classes" | "counts.events" | "counts.places" | "created_at" | "description" | "domain" | "id" | "image_url" | "links" | "links.camps" | "links.classes" | "links.events" | "links.places" | "links.self" | "metros" | "name" | "slug" | "status" | "type" | "updated_at" | "verified_at" | "website_url";
        OrganizationReference: {
            id: string | null;
            name: string | null;
            slug: string | null;
        };
        Origin: {
            lat: number;
            lng: number;
            /** @enum {string} */
            source: "coordinates" | "address" | "zip";
        };
        Place: {
            id: string;
            /** @constant */
            type: "place";
            slug: string;
            name: string;
            description: string | null;
            /** @enum {string} */
            audience: "kids" | "families" | "teens" | "adults" | "all_ages";
            categories: ("arts_creative" | "sports_active_play" | "storytime_books" | "music_movement" | "social_play_spaces" | "stem_discovery" | "nature_outdoors" | "animals_farms" | "museums_exhibits" | "theater_shows" | "dance_gymnastics" | "swim_water" | "food_cooking" | "festivals_seasonal" | "language_culture" | "parent_baby")[];
            image_url: string | null;
            organization: components["schemas"]["OrganizationReference"];
            confidence: number;
            verified_at: string | null;
            metro: string;
            /** @enum {string} */
            status: "published" | "archived";
            created_at: string | null;
            updated_at: string | null;
            /** @enum {string|null} */
            type_hint: "museum" | "library" | "park" | "playground" | "indoor_play" | "zoo_aquarium" | "farm" | "theater" | "studio" | "pool" | "sports_center" | "community_center" | "store_cafe" | "attraction" | "other" | null;
            type_hint_notes: string | null;
            location: components["schemas"]["Location"];
            hours: components["schemas"]["Hours"];
            admission: components["schemas"]["Admission"];
            membership: components["schemas"]["Membership"];
            birthday_parties: components["schemas"]["BirthdayParties"];
            classes: components["schemas"]["PlaceClasses"];
            amenities: components["schemas"]["Amenities"];
            ages: components["schemas"]["Ages"];
            images: string[];
            website_url: string | null;
            is_sensory_friendly: boolean | null;
            links: components["schemas"]["PlaceLinks"];
            expanded?: components["schemas"]["PlaceExpanded"];
            source?: components["schemas"]["SourceBlock"];
        };
        PlaceClasses: {
            available: boolean | null;
            types: string[];
            age_range: string | null;
            schedule_notes: string | null;
            registration_url: string | null;
        };
        PlaceExpanded: {
            organization: components["schemas"]["Organization"] | null;
        };
        PlaceLinks: {
            self: string;
            events: string;
            classes: string;
            camps: string;
        };
        PlacePart: {
            id: string;
            /** @constant */
            type: "place";
        };
        /** @enum {string} */
        PlacePath: "admission" | "admission.adult_price" | "admission.child_price" | "admission.currency" | "admission.infant_age_cutoff" | "admission.notes" | "admission.type" | "ages" | "ages.audience" | "ages.bands" | "ages.max" | "ages.min" | "ages.text" | "amenities" | "amenities.has_outdoor_space" | "amenities.has_parking" | "amenities.has_wifi" | "amenities.outside_food_allowed" | "amenities.parking_notes" | "amenities.socks_required" | "amenities.stroller_policy" | "audience" | "birthday_parties" | "birthday_parties.age_range" | "birthday_parties.available" | "birthday_parties.booking_url" | "birthday_parties.max_guests" | "birthday_parties.min_guests" | "birthday_parties.notes" | "categories" | "classes" | "classes.age_range" | "classes.available" | "classes.registration_url" | "classes.schedule_notes" | "classes.types" | "confidence" | "created_at" | "description" | "expanded" | "expanded.organization" | "expanded.organization.categories" | "expanded.organization.counts" | "expanded.organization.counts.camps" | "expanded.organization.counts.classes" | "expanded.organization.counts.events" | "expanded.organization.counts.places" | "expanded.organization.created_at" | "expanded.organization.description" | "expanded.organization.domain" | "expanded.organization.id" | "expanded.organization.image_url" | "expanded.organization.links" | "expanded.organization.links.camps" | "expanded.organization.links.classes" | "expanded.organization.links.events" | "expanded.organization.links.places" | "expanded.organization.links.self" | "expanded.organization.metros" | "expanded.organization.name" | "expanded.organization.slug" | "expanded.organization.status" | "expanded.organization.type" | "expanded.organization.updated_at" | "expanded.organization.verified_at" | "expanded.organization.website_url" | "hours" | "hours.exceptions" | "hours.friday" | "hours.monday" | "hours.notes" | "hours.saturday" | "hours.sunday" | "hours.thursday" | "hours.tuesday" | "hours.wednesday" | "id" | "image_url" | "images" | "is_sensory_friendly" | "links" | "links.camps" | "links.classes" | "links.events" | "links.self" | "location" | "location.address" | "location.city" | "location.lat" | "location.lng" | "location.neighborhood" | "location.neighborhood_slug" | "location.state" | "location.street_address" | "location.zip" | "membership" | "membership.available" | "membership.currency" | "membership.notes" | "membership.price_annual" | "membership.price_monthly" | "metro" | "name" | "organization" | "organization.id" | "organization.name" | "organization.slug" | "slug" | "source" | "source.crawled_at" | "source.date_health" | "source.score_basis" | "source.source_health" | "source.url" | "source.verification" | "source.verification.changed_fields" | "source.verification.checked_at" | "source.verification.status" | "status" | "type" | "type_hint" | "type_hint_notes" | "updated_at" | "verified_at" | "website_url";
        PlaceReference: {
            id: string;
            slug: string;
            name: string;
        };
        Price: {
            /** @enum {string|null} */
            type: "free" | "fixed" | "range" | "from" | "donation" | "varies" | "unknown" | null;
            min: number | null;
            max: number | null;
            /** @enum {string|null} */
            scope: "admission" | "program" | "session" | "materials" | "membership" | "unknown" | null;
            note: string | null;
            /** @enum {string|null} */
            unit: "per_person" | "per_child" | "per_adult" | "per_family" | "per_session" | "per_class" | "per_day" | "per_week" | "per_month" | "per_term" | "per_group" | null;
            is_free: boolean | null;
            currency: string | null;
        };
        Program: {
            /** @enum {string|null} */
            enrollment_type: "drop_in" | "registration" | "membership" | "unknown" | null;
            skill_level_notes: string | null;
            adult_participation: string | null;
            what_youll_learn: string | null;
            prerequisites: string | null;
        };
        Quality: {
            mean_confidence: number | null;
            with_coordinates_share: number | null;
            with_price_share: number | null;
            with_ages_share: number | null;
            with_image_share: number | null;
            with_time_share: number | null;
        };
        Readiness: {
            status: string;
            release: string;
            problems: {
                [key: string]: string;
            };
        };
        Registration: {
            url: string | null;
            /** @enum {string|null} */
            status: "open" | "upcoming" | "waitlist" | "full" | "closed" | "unknown" | null;
            opens_at: string | null;
            spots_remaining: number | null;
            has_spots_available: boolean | null;
            waitlist_available: boolean | null;
        };
        Related: {
            similar: components["schemas"]["CompactCard"][];
            from_organization: components["schemas"]["CompactCard"][];
            at_place: components["schemas"]["CompactCard"][];
        };
        Schedule: {
            /** @enum {string|null} */
            type: "weekly" | "one_time" | "multi_day" | "drop_in" | "ongoing" | "unknown" | null;
            days: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
            start_time: string | null;
            end_time: string | null;
            duration_minutes: number | null;
            is_recurring: boolean | null;
            rrule: string | null;
            notes: string | null;
            timezone: string | null;
        };
        SearchMeta: {
            query: string;
            applied_filters: {
                [key: string]: string | number | boolean | string[] | {
                    [key: string]: components["schemas"]["SearchWindow"];
                };
            };
            defaults_applied: string[];
            types: string[];
            ranking: string;
            ignored_words: string[];
            interpreted: components["schemas"]["Interpreted"];
            match: string[];
            relaxed: string[];
            match_counts: components["schemas"]["MatchCounts"];
            sort: string;
            limit: number;
            count: number;
            count_estimate: number;
            capped: boolean;
            has_more: boolean;
            next_cursor: string | null;
            generated_at: string;
        };
        SearchResult: {
            /** @enum {string} */
            type: "event" | "class" | "camp" | "place";
            id: string;
            slug: string;
            name: string;
            snippet: string;
            /** @enum {string} */
            match: "all_terms" | "related" | "partial";
            score: number;
            starts_local: string | null;
            repeats?: number;
            repeat_ids?: string[];
        };
        SearchWindow: {
            from: string | null;
            to: string | null;
            min_confidence: number;
        };
        Section: {
            id: string;
            name: string | null;
            schedule: components["schemas"]["SectionSchedule"];
            term: components["schemas"]["Term"];
            ages: components["schemas"]["AgeRange"];
            tuition: components["schemas"]["SectionTuition"];
            registration: components["schemas"]["SectionRegistration"];
            updated_at: string | null;
        };
        SectionRegistration: {
            url: string | null;
            /** @enum {string|null} */
            status: "open" | "upcoming" | "waitlist" | "full" | "closed" | "unknown" | null;
            spots_remaining: number | null;
            has_spots_available: boolean | null;
            waitlist_available: boolean | null;
        };
        SectionSchedule: {
            days: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
            start_time: string | null;
            end_time: string | null;
            duration_minutes: number | null;
            rrule: string | null;
            notes: string | null;
            timezone: string | null;
        };
        SectionTuition: {
            amount: number | null;
            text: string | null;
            drop_in_price: number | null;
            currency: string | null;
        };
        Session: {
            id: string;
            name: string | null;
            theme: string | null;
            starts_on: string | null;
            ends_on: string | null;
            days: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
            start_time: string | null;
            end_time: string | null;
            is_overnight: boolean | null;
            timezone: string;
            ages: components["schemas"]["AgeRange"];
            price: components["schemas"]["Price"];
            registration: components["schemas"]["Registration"];
            updated_at: string | null;
        };
        SourceBlock: {
            url: string | null;
            crawled_at: string | null;
            /** @enum {string} */
            score_basis: "verified" | "baseline";
            verification: components["schemas"]["Verification"];
            /** @enum {string|null} */
            date_health: "ok" | "stale" | "past" | "conflicting" | "missing" | null;
            /** @enum {string|null} */
            source_health: "ok" | "redirected" | "slow" | "unreachable" | "gone" | null;
        };
        SuggestMeta: {
            query: string;
            types: string[];
            limit: number;
            count: number;
            metro: string;
            generated_at: string;
        };
        Suggestion: {
            text: string;
            /** @enum {unknown} */
            kind: "category" | "listing" | "neighborhood" | "organization" | "place" | "query";
            count: number;
            type: string | null;
            id: string | null;
            slug: string | null;
            links: components["schemas"]["SuggestionLinks"];
        };
        SuggestionLinks: {
            self: string | null;
            search: string | null;
            events: string | null;
            classes: string | null;
            camps: string | null;
            places: string | null;
        };
        TemperatureRange: {
            min: number | null;
            max: number | null;
        };
        Term: {
            name: string | null;
            starts_on: string | null;
            ends_on: string | null;
            total_classes: number | null;
        };
        Traits: {
            seasons: ("spring" | "summer" | "fall" | "winter")[];
        };
        Tuition: {
            amount: number | null;
            from: number | null;
            text: string | null;
            drop_in_price: number | null;
            trial_price: number | null;
            trial_notes: string | null;
            currency: string | null;
        };
        TypeCoverage: {
            published: number;
            next_30_days: number;
            dateless: number;
        };
        Verification: {
            /** @enum {string|null} */
            status: "clear" | "changed" | "flagged" | "unverifiable" | "unreachable" | "gone" | null;
            checked_at: string | null;
            changed_fields: string[];
        };
        VersionsMeta: {
            limit: number;
            count: number;
            has_more: boolean;
            next_cursor: string | null;
            generated_at: string;
        };
        Window: {
            from: string | null;
            to: string | null;
            timezone: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export type operations = Record<string, never>;
