//! What the processor can do: loops compiled once more for AVX2, and hints to its cache.

/// Defines a function that runs another one, compiled for AVX2 where the processor has it.
///
/// The other one must be `#[inline(always)]` and add in a fixed order, so that every machine gets the
/// same bits. Closures in it may be compiled apart, without the instructions; loops never are.
macro_rules! for_avx2 {
    ($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $type:ty),*) $(-> $out:ty)? = $plain:path;) => {
        $(#[$doc])*
        $vis fn $name($($arg: $type),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,popcnt")]
                fn on_avx2($($arg: $type),*) $(-> $out)? {
                    $plain($($arg),*)
                }
                let has_both = std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("popcnt");
                if has_both {
                    // SAFETY: the processor was just asked whether it has the instructions.
                    #[expect(unsafe_code, reason = "the compiler cannot see the check before it")]
                    return unsafe { on_avx2($($arg),*) };
                }
            }
            $plain($($arg),*)
        }
    };
}
pub(crate) use for_avx2;

/// Bytes that memory hands out at once.
const LINE_BYTES: usize = 64;

/// Asks for data that will be needed soon, so that it is there by then.
#[inline]
pub(crate) fn prefetch(data: &[i8]) {
    #[cfg(target_arch = "x86_64")]
    for line in data.chunks(LINE_BYTES) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint, which may name any address; this one is even valid.
        #[expect(unsafe_code, reason = "the instruction takes a pointer")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(line.as_ptr());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (data, LINE_BYTES);
}
