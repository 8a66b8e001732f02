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
            applied_filters: components["schemas"]["TypedFilters"];
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
        /** @enum {string} */
        AgeBand: "baby" | "toddler" | "young_kids" | "bigger_kids" | "teens";
        AgeRange: {
            min: number | null;
            max: number | null;
            text: string | null;
        };
        Ages: {
            min: number | null;
            max: number | null;
            text: string | null;
            audience: components["schemas"]["Audience"] | null;
            bands: components["schemas"]["AgeBand"][];
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
        AreaActivityAnswer: {
            data: components["schemas"]["AreaActivity"];
            notices?: components["schemas"]["Notice"][];
            meta: components["schemas"]["ActivityMeta"];
        };
        Around: {
            location: components["schemas"]["Origin"];
            activity: components["schemas"]["Activity"];
            results: components["schemas"]["AroundResults"];
            facets: components["schemas"]["AroundFacets"];
            coverage: components["schemas"]["AroundCoverage"];
        };
        AroundAnswer: {
            data: components["schemas"]["Around"];
            notices?: components["schemas"]["Notice"][];
            meta: components["schemas"]["AroundMeta"];
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
            type: components["schemas"]["ListingType"];
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
            applied_filters: components["schemas"]["TypedFilters"];
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
        /** @enum {string} */
        Audience: "kids" | "families" | "teens" | "adults" | "all_ages";
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
        CalendarAddressAnswer: {
            data: components["schemas"]["CalendarAddress"];
            notices?: components["schemas"]["Notice"][];
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
        CalendarDayList: {
            data: components["schemas"]["CalendarDay"][];
            notices?: components["schemas"]["Notice"][];
            meta: components["schemas"]["CalendarMeta"];
        };
        CalendarMeta: {
            metro: string;
            window: components["schemas"]["Window"];
            min_confidence: number;
            total: number;
            applied_filters: components["schemas"]["Filters"];
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
            audience: components["schemas"]["Audience"];
            categories: components["schemas"]["Category"][];
            image_url: string | null;
            organization: components["schemas"]["OrganizationReference"];
            confidence: number;
            verified_at: string | null;
            metro: string;
            status: components["schemas"]["Status"];
            created_at: string | null;
            updated_at: string | null;
            place: components["schemas"]["PlaceReference"] | null;
            location: components["schemas"]["Location"];
            is_indoor: boolean | null;
            is_outdoor: boolean | null;
            good_for_rainy: boolean | null;
            is_sensory_friendly: boolean | null;
            camp_type: components["schemas"]["CampType"];
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
        CampAnswer: {
            data: components["schemas"]["Camp"];
            notices?: components["schemas"]["Notice"][];
        };
        CampList: {
            data: components["schemas"]["Camp"][];
            notices?: components["schemas"]["Notice"][];
            facets?: components["schemas"]["Facets"];
            meta: components["schemas"]["ListMeta"];
        };
        /** @enum {string} */
        CampType: "day" | "half_day" | "overnight" | "virtual" | "unknown";
        /** @enum {string} */
        Category: "arts_creative" | "sports_active_play" | "storytime_books" | "music_movement" | "social_play_spaces" | "stem_discovery" | "nature_outdoors" | "animals_farms" | "museums_exhibits" | "theater_shows" | "dance_gymnastics" | "swim_water" | "food_cooking" | "festivals_seasonal" | "language_culture" | "parent_baby";
        Center: {
            lat: number;
            lng: number;
        };
        Change: {
            version_id: number;
            listing_id: string;
            type: components["schemas"]["RecordType"];
            metro: string | null;
            slug: string;
            kind: components["schemas"]["ChangeKind"];
            reason: components["schemas"]["RemovalReason"] | null;
            replaced_by: string | null;
            changed_at: string;
            fields: string[];
            links: components["schemas"]["ChangeLinks"];
        };
        /** @enum {string} */
        ChangeKind: "created" | "updated" | "removed" | "restored";
        ChangeLinks: {
            self: string;
            versions: string;
        };
        ChangeList: {
            data: components["schemas"]["Change"][];
            notices?: components["schemas"]["Notice"][];
            meta: components["schemas"]["ChangesMeta"];
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
            audience: components["schemas"]["Audience"];
            categories: components["schemas"]["Category"][];
            image_url: string | null;
            organization: components["schemas"]["OrganizationReference"];
            confidence: number;
            verified_at: string | null;
            metro: string;
            status: components["schemas"]["Status"];
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
            occasions: components["schemas"]["Occasion"][];
            links: components["schemas"]["EventLinks"];
            sessions: components["schemas"]["CompactCard"][];
            expanded?: components["schemas"]["Expanded"];
            source?: components["schemas"]["SourceBlock"];
            related?: components["schemas"]["Related"];
        };
        ClassAnswer: {
            data: components["schemas"]["Class"];
            notices?: components["schemas"]["Notice"][];
        };
        ClassList: {
            data: components["schemas"]["Class"][];
            notices?: components["schemas"]["Notice"][];
            facets?: components["schemas"]["Facets"];
            meta: components["schemas"]["ListMeta"];
        };
        ClassRegistration: {
            url: string | null;
            status: components["schemas"]["RegistrationStatus"] | null;
            opens_at: string | null;
            spots_remaining: number | null;
            has_spots_available: boolean | null;
            waitlist_available: boolean | null;
            sections_with_spots: number | null;
        };
        CompactCard: {
            id: string;
            type: components["schemas"]["ListingType"];
            slug: string;
            name: string;
            starts_local: string | null;
            timezone: string | null;
            place: components["schemas"]["PlaceReference"] | null;
            price: components["schemas"]["Price"] | null;
            ages: components["schemas"]["Ages"];
            categories: components["schemas"]["Category"][];
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
        CoverageAnswer: {
            data: components["schemas"]["Coverage"];
            notices?: components["schemas"]["Notice"][];
            meta: components["schemas"]["CoverageMeta"];
        };
        CoverageMeta: {
            metro: string;
            applied_filters: components["schemas"]["Filters"];
            defaults_applied: string[];
            generated_at: string;
        };
        CoverageRelease: {
            id: string;
            built_at: string;
        };
        /** @enum {string} */
        Covers: "event_hours" | "local_day";
        /** @enum {string} */
        DateHealth: "ok" | "stale" | "past" | "conflicting" | "missing";
        DayForecast: {
            summary: string | null;
            temperature_f: components["schemas"]["TemperatureRange"];
            precipitation_chance_max: number | null;
            wet_hours: number[][];
            issued_at: string;
            expires_at: string;
        };
        DensityCell: {
            south: number;
            west: number;
            count: number;
        };
        DensityCellList: {
            data: components["schemas"]["DensityCell"][];
            notices?: components["schemas"]["Notice"][];
            meta: components["schemas"]["DensityMeta"];
        };
        DensityMeta: {
            metro: string;
            degrees: number;
            total: number;
            without_coordinates: number;
            window: components["schemas"]["Window"];
            min_confidence: number;
            applied_filters: components["schemas"]["Filters"];
            defaults_applied: string[];
            generated_at: string;
        };
        Directory: {
            links: {
                [key: string]: string;
            };
        };
        DirectoryAnswer: {
            data: components["schemas"]["Directory"];
            notices?: components["schemas"]["Notice"][];
        };
        DirectoryMeta: {
            limit: number;
            count: number;
            has_more: boolean;
            next_cursor: string | null;
            page: number | null;
            applied_filters: components["schemas"]["Filters"];
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
        /** @enum {string} */
        EnrollmentType: "drop_in" | "registration" | "membership" | "unknown";
        Event: {
            id: string;
            /** @constant */
            type: "event";
            slug: string;
            name: string;
            description: string | null;
            audience: components["schemas"]["Audience"];
            categories: components["schemas"]["Category"][];
            image_url: string | null;
            organization: components["schemas"]["OrganizationReference"];
            confidence: number;
            verified_at: string | null;
            metro: string;
            status: components["schemas"]["Status"];
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
            occasions: components["schemas"]["Occasion"][];
            teams: components["schemas"]["Team"][];
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
        EventAnswer: {
            data: components["schemas"]["Event"];
            notices?: components["schemas"]["Notice"][];
        };
        EventForecast: {
            covers: components["schemas"]["Covers"];
            summary: string | null;
            temperature_f: components["schemas"]["TemperatureRange"];
            precipitation_chance_max: number | null;
            wet_hours: number[][];
            hours: components["schemas"]["HourForecast"][];
            issued_at: string;
            expires_at: string;
        };
        EventLinks: {
            self: string;
            place: string | null;
            organization: string | null;
            page: string | null;
        };
        EventList: {
            data: components["schemas"]["Event"][];
            notices?: components["schemas"]["Notice"][];
            facets?: components["schemas"]["Facets"];
            meta: components["schemas"]["ListMeta"];
        };
        Expanded: {
            place?: components["schemas"]["Place"] | null;
            organization?: components["schemas"]["Organization"] | null;
        };
        ExportFile: {
            type: components["schemas"]["ExportType"];
            format: components["schemas"]["ExportFormat"];
            content_type: string;
            rows: number;
            size: number;
            sha256: string;
            rows_hash: string;
            links: components["schemas"]["ExportLinks"];
        };
        ExportFileList: {
            data: components["schemas"]["ExportFile"][];
            notices?: components["schemas"]["Notice"][];
            meta: components["schemas"]["ExportMeta"];
        };
        /** @enum {string} */
        ExportFormat: "jsonl" | "parquet" | "ics";
        ExportLinks: {
            self: string;
        };
        ExportMeta: {
            metro: string;
            count: number;
            latest_version_id: number;
            generated_at: string;
        };
        /** @enum {string} */
        ExportType: "event" | "class" | "camp" | "place" | "organization" | "occurrence";
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
        Filters: {
            [key: string]: string | number | boolean | string[];
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
            filters: components["schemas"]["InterpretedFilter"][];
            beginning: string | null;
        };
        InterpretedAge: {
            min: number;
            max: number | null;
            from: string;
            overridden_by: string | null;
        };
        InterpretedFilter: {
            parameters: Record<string, never>;
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
            applied_filters: components["schemas"]["Filters"];
            defaults_applied: string[];
            min_confidence: number;
            window: components["schemas"]["Window"];
            metro: string;
            generated_at: string;
            missing_ids: string[];
        };
        /** @enum {string} */
        ListingType: "event" | "class" | "camp" | "place";
        ListingVersion: {
            version_id: number;
            changed_at: string;
            kind: components["schemas"]["ChangeKind"];
            fields: string[];
            reason: components["schemas"]["RemovalReason"] | null;
        };
        ListingVersionList: {
            data: components["schemas"]["ListingVersion"][];
            notices?: components["schemas"]["Notice"][];
            meta: components["schemas"]["VersionsMeta"];
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
        MetroAnswer: {
            data: components["schemas"]["Metro"];
            notices?: components["schemas"]["Notice"][];
        };
        MetroList: {
            data: components["schemas"]["Metro"][];
            notices?: components["schemas"]["Notice"][];
            meta: components["schemas"]["MetrosMeta"];
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
            categories: components["schemas"]["Category"][];
            image_url: string | null;
            links: components["schemas"]["ItemLinks"];
            source?: components["schemas"]["SourceBlock"];
        };
        NearbyItemList: {
            data: components["schemas"]["NearbyItem"][];
            notices?: components["schemas"]["Notice"][];
            meta: components["schemas"]["NearbyMeta"];
        };
        NearbyMeta: {
            limit: number;
            count: number;
            has_more: boolean;
            next_cursor: string | null;
            page: number | null;
            applied_filters: components["schemas"]["TypedFilters"];
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
        NeighborhoodList: {
            data: components["schemas"]["Neighborhood"][];
            notices?: components["schemas"]["Notice"][];
            meta: components["schemas"]["DirectoryMeta"];
        };
        Notice: {
            /** @enum {string} */
            code: "include_not_permitted" | "related_unavailable" | "forecast_unavailable" | "source_unavailable" | "parameter_deprecated" | "parameter_ignored" | "facets_incomplete" | "point_outside_metro" | "neighborhood_unknown" | "rows_without_coordinates";
            message: string;
            include?: string | null;
            param?: string | null;
            details?: Record<string, never> | null;
            links?: {
                [key: string]: string;
            } | null;
        };
        /** @enum {string} */
        Occasion: "halloween" | "thanksgiving" | "hanukkah" | "christmas" | "kwanzaa" | "new_year" | "lunar_new_year" | "valentines_day" | "st_patricks_day" | "passover" | "easter" | "ramadan_eid" | "mothers_day" | "fathers_day" | "juneteenth" | "independence_day" | "back_to_school" | "diwali" | "birthday";
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
            status: components["schemas"]["Status"];
            created_at: string | null;
            updated_at: string | null;
            links: components["schemas"]["OrganizationLinks"];
            categories: components["schemas"]["Category"][];
            metros: string[];
            counts: components["schemas"]["Counts"];
        };
        OrganizationAnswer: {
            data: components["schemas"]["Organization"];
            notices?: components["schemas"]["Notice"][];
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
            /** @enum {string|null} */
            match: "domain" | "exact_domain" | "exact_name" | "fuzzy" | "name" | null;
            links: components["schemas"]["OrganizationLinks"];
        };
        OrganizationEntryList: {
            data: components["schemas"]["OrganizationEntry"][];
            notices?: components["schemas"]["Notice"][];
            meta: components["schemas"]["DirectoryMeta"];
        };
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
            audience: components["schemas"]["Audience"];
            categories: components["schemas"]["Category"][];
            image_url: string | null;
            organization: components["schemas"]["OrganizationReference"];
            confidence: number;
            verified_at: string | null;
            metro: string;
            status: components["schemas"]["Status"];
            created_at: string | null;
            updated_at: string | null;
            type_hint: components["schemas"]["TypeHint"] | null;
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
            is_indoor: boolean | null;
            is_outdoor: boolean | null;
            good_for_rainy: boolean | null;
            is_sensory_friendly: boolean | null;
            links: components["schemas"]["PlaceLinks"];
            expanded?: components["schemas"]["PlaceExpanded"];
            source?: components["schemas"]["SourceBlock"];
        };
        PlaceAnswer: {
            data: components["schemas"]["Place"];
            notices?: components["schemas"]["Notice"][];
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
            page: string | null;
        };
        PlaceList: {
            data: components["schemas"]["Place"][];
            notices?: components["schemas"]["Notice"][];
            facets?: components["schemas"]["Facets"];
            meta: components["schemas"]["ListMeta"];
        };
        PlaceReference: {
            id: string;
            slug: string;
            name: string;
        };
        Price: {
            type: components["schemas"]["PriceType"] | null;
            min: number | null;
            max: number | null;
            scope: components["schemas"]["PriceScope"] | null;
            note: string | null;
            unit: components["schemas"]["PriceUnit"] | null;
            is_free: boolean | null;
            currency: string | null;
        };
        /** @enum {string} */
        PriceScope: "admission" | "program" | "session" | "materials" | "membership" | "unknown";
        /** @enum {string} */
        PriceType: "free" | "fixed" | "range" | "from" | "donation" | "varies" | "unknown";
        /** @enum {string} */
        PriceUnit: "per_person" | "per_child" | "per_adult" | "per_family" | "per_session" | "per_class" | "per_day" | "per_week" | "per_month" | "per_term" | "per_group";
        Problem: {
            /** @enum {string} */
            title: "bad_request" | "unauthorized" | "forbidden" | "include_not_permitted" | "feature_not_in_plan" | "not_found" | "method_not_allowed" | "rate_limited" | "quota_exceeded" | "internal" | "not_implemented" | "unavailable";
            status: number;
            detail: string;
            /** @enum {string} */
            code: "bad_request" | "unauthorized" | "forbidden" | "include_not_permitted" | "feature_not_in_plan" | "not_found" | "method_not_allowed" | "rate_limited" | "quota_exceeded" | "internal" | "not_implemented" | "unavailable";
            request_id: string;
            details?: components["schemas"]["FailureDetails"];
        };
        Program: {
            enrollment_type: components["schemas"]["EnrollmentType"] | null;
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
        /** @enum {string} */
        RecordType: "event" | "class" | "camp" | "place" | "organization";
        Registration: {
            url: string | null;
            status: components["schemas"]["RegistrationStatus"] | null;
            opens_at: string | null;
            spots_remaining: number | null;
            has_spots_available: boolean | null;
            waitlist_available: boolean | null;
        };
        /** @enum {string} */
        RegistrationStatus: "open" | "upcoming" | "waitlist" | "full" | "closed" | "unknown";
        Related: {
            similar: components["schemas"]["CompactCard"][];
            from_organization: components["schemas"]["CompactCard"][];
            at_place: components["schemas"]["CompactCard"][];
        };
        /** @enum {string} */
        RemovalReason: "archived" | "cancelled" | "expired" | "duplicate" | "withdrawn" | "unpublished";
        Schedule: {
            type: components["schemas"]["ScheduleType"] | null;
            days: components["schemas"]["Weekday"][];
            start_time: string | null;
            end_time: string | null;
            duration_minutes: number | null;
            is_recurring: boolean | null;
            rrule: string | null;
            notes: string | null;
            timezone: string | null;
        };
        /** @enum {string} */
        ScheduleType: "weekly" | "one_time" | "multi_day" | "drop_in" | "ongoing" | "unknown";
        /** @enum {string} */
        ScoreBasis: "verified" | "baseline";
        SearchMeta: {
            query: string;
            applied_filters: components["schemas"]["TypedFilters"];
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
            type: components["schemas"]["ListingType"];
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
        SearchResultList: {
            data: components["schemas"]["SearchResult"][];
            notices?: components["schemas"]["Notice"][];
            meta: components["schemas"]["SearchMeta"];
        };
        SearchWindow: {
            from: string | null;
            to: string | null;
            min_confidence: number;
        };
        /** @enum {string} */
        Season: "spring" | "summer" | "fall" | "winter";
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
            status: components["schemas"]["RegistrationStatus"] | null;
            spots_remaining: number | null;
            has_spots_available: boolean | null;
            waitlist_available: boolean | null;
        };
        SectionSchedule: {
            days: components["schemas"]["Weekday"][];
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
            days: components["schemas"]["Weekday"][];
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
            score_basis: components["schemas"]["ScoreBasis"];
            verification: components["schemas"]["Verification"];
            date_health: components["schemas"]["DateHealth"] | null;
            source_health: components["schemas"]["SourceHealth"] | null;
        };
        /** @enum {string} */
        SourceHealth: "ok" | "redirected" | "slow" | "unreachable" | "gone";
        /** @enum {string} */
        Status: "published" | "archived";
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
            /** @enum {string} */
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
        SuggestionList: {
            data: components["schemas"]["Suggestion"][];
            notices?: components["schemas"]["Notice"][];
            meta: components["schemas"]["SuggestMeta"];
        };
        /** @enum {string} */
        Team: "mariners" | "seahawks" | "kraken" | "sounders" | "storm";
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
            seasons: components["schemas"]["Season"][];
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
        /** @enum {string} */
        TypeHint: "museum" | "library" | "park" | "playground" | "indoor_play" | "zoo_aquarium" | "farm" | "theater" | "studio" | "pool" | "sports_center" | "community_center" | "store_cafe" | "attraction" | "other";
        TypedFilters: {
            [key: string]: string | number | boolean | string[] | {
                [key: string]: components["schemas"]["SearchWindow"];
            };
        };
        Verification: {
            status: components["schemas"]["VerificationStatus"] | null;
            checked_at: string | null;
            changed_fields: string[];
        };
        /** @enum {string} */
        VerificationStatus: "clear" | "changed" | "flagged" | "unverifiable" | "unreachable" | "gone";
        VersionsMeta: {
            limit: number;
            count: number;
            has_more: boolean;
            next_cursor: string | null;
            generated_at: string;
        };
        Vocabularies: {
            language: string;
            vocabularies: {
                [key: string]: components["schemas"]["VocabularyWord"][];
            };
        };
        VocabulariesAnswer: {
            data: components["schemas"]["Vocabularies"];
            notices?: components["schemas"]["Notice"][];
        };
        VocabularyWord: {
            value: string;
            label: string;
        };
        /** @enum {string} */
        Weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
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
