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
#[inline(always)]
pub(crate) fn prefetch<T>(data: &[T]) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of_val(data)).step_by(LINE_BYTES) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let line = data.as_ptr().cast::<i8>().wrapping_add(line);
        // SAFETY: a hint, which may name any address; this one is even valid.
        #[expect(unsafe_code, reason = "the instruction takes a pointer")]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(line);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (data, LINE_BYTES);
}
