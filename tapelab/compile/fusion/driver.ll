; The way from Python to compiled blocks of numbers, the same for all of them; compiled once.
;
; `call(header, first, last, slice, *arrays, *results)` is called by Python as a function of its
; own. It looks up where the numbers of its arrays stand, and goes through the rows from `first` to
; `last`, in each through blocks of at most 512 columns, which a compiled function computes, sixteen
; numbers at a time. What is left over at the end of a row is copied to a place with room for
; sixteen, and back. It returns 0, or 1 where an array is not as it was expected.
;
; The header is an array of 64-bit numbers (see `calling.py`):
;   0 address of the block function      3 number of entries        6 address of its program
;   1 whether to let other threads run   4 number of arrays A       7 the type of arrays
;   2 number of columns                  5 number of results R
;   8 ... for each array:  bytes from row to row, bytes from entry to entry, type of the object
;   then for each result:  sum, maximum or minimum (0, 1, 2); of all or of a row (0, 1);
;                          what is summed and the result in 32 bits, both in 64, or only the
;                          result in 64 (0, 1, 2); what the sum is divided by, a float64

declare i64 @PyLong_AsSsize_t(ptr)
declare ptr @PyLong_FromLong(i64)
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.smin.i64(i64, i64)

; Where the numbers of an object stand: null if it is of another type, or not in rows.
define internal ptr @numbers(ptr %object, i64 %type, i64 %array_type) alwaysinline {
  %at_type = getelementptr i8, ptr %object, i64 8
  %found = load i64, ptr %at_type
  %right = icmp eq i64 %found, %type
  br i1 %right, label %known, label %refused
known:
  %at_data = getelementptr i8, ptr %object, i64 16
  %is_array = icmp eq i64 %type, %array_type
  br i1 %is_array, label %array, label %scalar
scalar:
  ret ptr %at_data
array:
  %at_flags = getelementptr i8, ptr %object, i64 64
  %flags = load i32, ptr %at_flags
  %wanted = and i32 %flags, 257
  %in_rows = icmp eq i32 %wanted, 257
  br i1 %in_rows, label %there, label %refused
there:
  %data = load ptr, ptr %at_data
  ret ptr %data
refused:
  ret ptr null
}

; Add the sixteen sums of a block to the total, or put their extreme in its place.
define internal void @gather(ptr %lanes, ptr %total, i64 %how, i64 %wide) {
  %single = icmp ne i64 %wide, 1
  br i1 %single, label %short, label %long
short:
  %floats = load <16 x float>, ptr %lanes, align 16
  %widened = fpext <16 x float> %floats to <16 x double>
  br label %have
long:
  %doubles = load <16 x double>, ptr %lanes, align 16
  br label %have
have:
  %all = phi <16 x double> [%widened, %short], [%doubles, %long]
  %before = load double, ptr %total
  %sums = icmp eq i64 %how, 0
  br i1 %sums, label %summing, label %comparing
summing:
  %l8 = shufflevector <16 x double> %all, <16 x double> poison,
      <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
  %h8 = shufflevector <16 x double> %all, <16 x double> poison,
      <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
  %s8 = fadd <8 x double> %l8, %h8
  %l4 = shufflevector <8 x double> %s8, <8 x double> poison,
      <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %h4 = shufflevector <8 x double> %s8, <8 x double> poison,
      <4 x i32> <i32 4, i32 5, i32 6, i32 7>
  %s4 = fadd <4 x double> %l4, %h4
  %a = extractelement <4 x double> %s4, i32 0
  %b = extractelement <4 x double> %s4, i32 1
  %c = extractelement <4 x double> %s4, i32 2
  %d = extractelement <4 x double> %s4, i32 3
  %ab = fadd double %a, %b
  %cd = fadd double %c, %d
  %abcd = fadd double %ab, %cd
  %sum = fadd double %before, %abcd
  store double %sum, ptr %total
  ret void
comparing:
  %largest = icmp eq i64 %how, 1
  br label %next
next:
  %lane = phi i64 [0, %comparing], [%lane_after, %next]
  %best = phi double [%before, %comparing], [%better, %next]
  %each = extractelement <16 x double> %all, i64 %lane
  %up = fcmp oge double %best, %each
  %down = fcmp ole double %best, %each
  %ahead = select i1 %largest, i1 %up, i1 %down
  %is_nan = fcmp uno double %best, %best
  %stays = or i1 %ahead, %is_nan
  %better = select i1 %stays, double %best, double %each
  %lane_after = add i64 %lane, 1
  %more = icmp ult i64 %lane_after, 16
  br i1 %more, label %next, label %compared
compared:
  store double %better, ptr %total
  ret void
}

; The number that changes no sum, or no extreme.
define internal double @neutral(i64 %how) alwaysinline {
  %sums = icmp eq i64 %how, 0
  %largest = icmp eq i64 %how, 1
  %low = select i1 %largest, double 0xFFF0000000000000, double 0x7FF0000000000000
  %value = select i1 %sums, double 0.0, double %low
  ret double %value
}

; Begin the totals: those of rows where %rows is 1, those of everything where it is 0.
define internal void @begin(ptr %facts, i64 %results, ptr %totals, i64 %rows) {
entry:
  %any = icmp sgt i64 %results, 0
  br i1 %any, label %next, label %done
next:
  %k = phi i64 [0, %entry], [%k_after, %skip]
  %at = mul i64 %k, 4
  %fact = getelementptr i64, ptr %facts, i64 %at
  %how = load i64, ptr %fact
  %at_along = getelementptr i64, ptr %fact, i64 1
  %along = load i64, ptr %at_along
  %meant = icmp eq i64 %along, %rows
  br i1 %meant, label %set, label %skip
set:
  %value = call double @neutral(i64 %how)
  %total = getelementptr double, ptr %totals, i64 %k
  store double %value, ptr %total
  br label %skip
skip:
  %k_after = add i64 %k, 1
  %more = icmp slt i64 %k_after, %results
  br i1 %more, label %next, label %done
done:
  ret void
}

; Write the totals down as results, at a place in each: those of rows, or those of everything.
define internal void @finish(ptr %facts, i64 %results, ptr %totals, i64 %rows, ptr %places,
                             i64 %place) {
entry:
  %any = icmp sgt i64 %results, 0
  br i1 %any, label %next, label %done
next:
  %k = phi i64 [0, %entry], [%k_after, %skip]
  %at = mul i64 %k, 4
  %fact = getelementptr i64, ptr %facts, i64 %at
  %at_along = getelementptr i64, ptr %fact, i64 1
  %along = load i64, ptr %at_along
  %meant = icmp eq i64 %along, %rows
  br i1 %meant, label %set, label %skip
set:
  %at_wide = getelementptr i64, ptr %fact, i64 2
  %wide = load i64, ptr %at_wide
  %at_count = getelementptr i64, ptr %fact, i64 3
  %count = load double, ptr %at_count
  %total = getelementptr double, ptr %totals, i64 %k
  %whole = load double, ptr %total
  %share = fdiv double %whole, %count
  %at_result = getelementptr ptr, ptr %places, i64 %k
  %result = load ptr, ptr %at_result
  %single = icmp eq i64 %wide, 0
  br i1 %single, label %short, label %long
short:
  %rounded = fptrunc double %share to float
  %at_float = getelementptr float, ptr %result, i64 %place
  store float %rounded, ptr %at_float
  br label %skip
long:
  %at_double = getelementptr double, ptr %result, i64 %place
  store double %share, ptr %at_double
  br label %skip
skip:
  %k_after = add i64 %k, 1
  %more = icmp slt i64 %k_after, %results
  br i1 %more, label %next, label %done
done:
  ret void
}

; One block: its sums begin anew, its whole sixteens and the rest are computed, its sums are added.
define internal void @block(ptr %header, ptr %table, ptr %rest_table, ptr %rest_room, ptr %lanes,
                            ptr %totals, i64 %count) {
entry:
  %compute = load ptr, ptr %header
  %at_arrays = getelementptr i64, ptr %header, i64 4
  %arrays = load i64, ptr %at_arrays
  %at_results = getelementptr i64, ptr %header, i64 5
  %results = load i64, ptr %at_results
  %at_program = getelementptr i64, ptr %header, i64 6
  %program = load ptr, ptr %at_program
  %layout = getelementptr i64, ptr %header, i64 8
  %described = mul i64 %arrays, 3
  %facts = getelementptr i64, ptr %layout, i64 %described
  %any = icmp sgt i64 %results, 0
  br i1 %any, label %clear, label %cleared
clear:
  %c = phi i64 [0, %entry], [%c_after, %clear_next]
  %c_at = mul i64 %c, 4
  %c_fact = getelementptr i64, ptr %facts, i64 %c_at
  %c_how = load i64, ptr %c_fact
  %c_at_wide = getelementptr i64, ptr %c_fact, i64 2
  %c_wide = load i64, ptr %c_at_wide
  %c_single = icmp ne i64 %c_wide, 1
  %zero = call double @neutral(i64 %c_how)
  %zero_single = fptrunc double %zero to float
  %seed_d = insertelement <16 x double> poison, double %zero, i32 0
  %seeds_d = shufflevector <16 x double> %seed_d, <16 x double> poison, <16 x i32> zeroinitializer
  %seed_f = insertelement <16 x float> poison, float %zero_single, i32 0
  %seeds_f = shufflevector <16 x float> %seed_f, <16 x float> poison, <16 x i32> zeroinitializer
  %c_bytes = mul i64 %c, 128
  %c_lanes = getelementptr i8, ptr %lanes, i64 %c_bytes
  br i1 %c_single, label %clear_single, label %clear_double
clear_single:
  store <16 x float> %seeds_f, ptr %c_lanes, align 16
  br label %clear_next
clear_double:
  store <16 x double> %seeds_d, ptr %c_lanes, align 16
  br label %clear_next
clear_next:
  %c_after = add i64 %c, 1
  %c_more = icmp slt i64 %c_after, %results
  br i1 %c_more, label %clear, label %cleared
cleared:
  %sixteens = lshr i64 %count, 4
  %whole = shl i64 %sixteens, 4
  %rest = sub i64 %count, %whole
  %some = icmp sgt i64 %sixteens, 0
  br i1 %some, label %full, label %after_full
full:
  call void %compute(i64 %sixteens, i64 %whole, ptr %table, ptr %lanes, ptr %program)
  br label %after_full
after_full:
  %left = icmp sgt i64 %rest, 0
  br i1 %left, label %copy_in, label %sums
copy_in:
  %i = phi i64 [0, %after_full], [%i_after, %copied_in]
  %i_at = mul i64 %i, 3
  %i_layout = getelementptr i64, ptr %layout, i64 %i_at
  %i_at_size = getelementptr i64, ptr %i_layout, i64 1
  %i_size = load i64, ptr %i_at_size
  %i_source = getelementptr ptr, ptr %table, i64 %i
  %i_start = load ptr, ptr %i_source
  %i_slot = getelementptr ptr, ptr %rest_table, i64 %i
  %i_moves = icmp sgt i64 %i_size, 0
  br i1 %i_moves, label %moved_in, label %stays
stays:
  store ptr %i_start, ptr %i_slot
  br label %copied_in
moved_in:
  %i_bytes = mul i64 %i, 128
  %i_room = getelementptr i8, ptr %rest_room, i64 %i_bytes
  %i_offset = mul i64 %whole, %i_size
  %i_from = getelementptr i8, ptr %i_start, i64 %i_offset
  %i_length = mul i64 %rest, %i_size
  call void @llvm.memcpy.p0.p0.i64(ptr %i_room, ptr %i_from, i64 %i_length, i1 false)
  store ptr %i_room, ptr %i_slot
  br label %copied_in
copied_in:
  %i_after = add i64 %i, 1
  %i_more = icmp slt i64 %i_after, %arrays
  br i1 %i_more, label %copy_in, label %compute_rest
compute_rest:
  call void %compute(i64 1, i64 %rest, ptr %rest_table, ptr %lanes, ptr %program)
  br label %copy_out
copy_out:
  %o = phi i64 [0, %compute_rest], [%o_after, %copied_out]
  %o_at = mul i64 %o, 3
  %o_layout = getelementptr i64, ptr %layout, i64 %o_at
  %o_at_size = getelementptr i64, ptr %o_layout, i64 1
  %o_size = load i64, ptr %o_at_size
  %o_at_type = getelementptr i64, ptr %o_layout, i64 2
  %o_type = load i64, ptr %o_at_type
  %o_is_result = icmp slt i64 %o_type, 0
  br i1 %o_is_result, label %moved_out, label %copied_out
moved_out:
  %o_bytes = mul i64 %o, 128
  %o_room = getelementptr i8, ptr %rest_room, i64 %o_bytes
  %o_target = getelementptr ptr, ptr %table, i64 %o
  %o_start = load ptr, ptr %o_target
  %o_offset = mul i64 %whole, %o_size
  %o_to = getelementptr i8, ptr %o_start, i64 %o_offset
  %o_length = mul i64 %rest, %o_size
  call void @llvm.memcpy.p0.p0.i64(ptr %o_to, ptr %o_room, i64 %o_length, i1 false)
  br label %copied_out
copied_out:
  %o_after = add i64 %o, 1
  %o_more = icmp slt i64 %o_after, %arrays
  br i1 %o_more, label %copy_out, label %sums
sums:
  br i1 %any, label %sum, label %done
sum:
  %k = phi i64 [0, %sums], [%k_after, %sum]
  %k_at = mul i64 %k, 4
  %k_fact = getelementptr i64, ptr %facts, i64 %k_at
  %k_how = load i64, ptr %k_fact
  %k_at_wide = getelementptr i64, ptr %k_fact, i64 2
  %k_wide = load i64, ptr %k_at_wide
  %k_bytes = mul i64 %k, 128
  %k_lanes = getelementptr i8, ptr %lanes, i64 %k_bytes
  %k_total = getelementptr double, ptr %totals, i64 %k
  call void @gather(ptr %k_lanes, ptr %k_total, i64 %k_how, i64 %k_wide)
  %k_after = add i64 %k, 1
  %k_more = icmp slt i64 %k_after, %results
  br i1 %k_more, label %sum, label %done
done:
  ret void
}

; Rows from first to last, each in blocks.
define internal void @rows(ptr %header, i64 %first, i64 %last, i64 %slice, ptr %bases,
                           ptr %table, ptr %rest_table, ptr %rest_room, ptr %lanes, ptr %totals) {
entry:
  %at_columns = getelementptr i64, ptr %header, i64 2
  %columns = load i64, ptr %at_columns
  %at_entries = getelementptr i64, ptr %header, i64 3
  %entries = load i64, ptr %at_entries
  %at_arrays = getelementptr i64, ptr %header, i64 4
  %arrays = load i64, ptr %at_arrays
  %at_results = getelementptr i64, ptr %header, i64 5
  %results = load i64, ptr %at_results
  %layout = getelementptr i64, ptr %header, i64 8
  %described = mul i64 %arrays, 3
  %facts = getelementptr i64, ptr %layout, i64 %described
  %places = getelementptr ptr, ptr %bases, i64 %arrays
  call void @begin(ptr %facts, i64 %results, ptr %totals, i64 0)
  %any_row = icmp slt i64 %first, %last
  br i1 %any_row, label %row, label %done
row:
  %r = phi i64 [%first, %entry], [%r_after, %row_done]
  call void @begin(ptr %facts, i64 %results, ptr %totals, i64 1)
  %start = mul i64 %r, %columns
  %remaining = sub i64 %entries, %start
  %width = call i64 @llvm.smin.i64(i64 %columns, i64 %remaining)
  br label %blocks
blocks:
  %j = phi i64 [0, %row], [%j_after, %block_done]
  %ahead = sub i64 %width, %j
  %count = call i64 @llvm.smin.i64(i64 %ahead, i64 512)
  br label %pointers
pointers:
  %a = phi i64 [0, %blocks], [%a_after, %pointers]
  %a_at = mul i64 %a, 3
  %a_layout = getelementptr i64, ptr %layout, i64 %a_at
  %by_row = load i64, ptr %a_layout
  %a_at_size = getelementptr i64, ptr %a_layout, i64 1
  %by_entry = load i64, ptr %a_at_size
  %a_base = getelementptr ptr, ptr %bases, i64 %a
  %base = load ptr, ptr %a_base
  %row_offset = mul i64 %r, %by_row
  %entry_offset = mul i64 %j, %by_entry
  %offset = add i64 %row_offset, %entry_offset
  %here = getelementptr i8, ptr %base, i64 %offset
  %a_slot = getelementptr ptr, ptr %table, i64 %a
  store ptr %here, ptr %a_slot
  %a_after = add i64 %a, 1
  %a_more = icmp slt i64 %a_after, %arrays
  br i1 %a_more, label %pointers, label %compute
compute:
  call void @block(ptr %header, ptr %table, ptr %rest_table, ptr %rest_room, ptr %lanes,
                   ptr %totals, i64 %count)
  br label %block_done
block_done:
  %j_after = add i64 %j, 512
  %more_blocks = icmp slt i64 %j_after, %width
  br i1 %more_blocks, label %blocks, label %row_done
row_done:
  call void @finish(ptr %facts, i64 %results, ptr %totals, i64 1, ptr %places, i64 %r)
  %r_after = add i64 %r, 1
  %more_rows = icmp slt i64 %r_after, %last
  br i1 %more_rows, label %row, label %done
done:
  call void @finish(ptr %facts, i64 %results, ptr %totals, i64 0, ptr %places, i64 %slice)
  ret void
}

define ptr @call(ptr %self, ptr %objects, i64 %given) {
entry:
  %header_object = load ptr, ptr %objects
  %at_header = getelementptr i8, ptr %header_object, i64 16
  %header = load ptr, ptr %at_header
  %at_first = getelementptr ptr, ptr %objects, i64 1
  %first_object = load ptr, ptr %at_first
  %first = call i64 @PyLong_AsSsize_t(ptr %first_object)
  %at_last = getelementptr ptr, ptr %objects, i64 2
  %last_object = load ptr, ptr %at_last
  %last = call i64 @PyLong_AsSsize_t(ptr %last_object)
  %at_slice = getelementptr ptr, ptr %objects, i64 3
  %slice_object = load ptr, ptr %at_slice
  %slice = call i64 @PyLong_AsSsize_t(ptr %slice_object)
  %at_releases = getelementptr i64, ptr %header, i64 1
  %releases = load i64, ptr %at_releases
  %at_arrays = getelementptr i64, ptr %header, i64 4
  %arrays = load i64, ptr %at_arrays
  %at_results = getelementptr i64, ptr %header, i64 5
  %results = load i64, ptr %at_results
  %at_type = getelementptr i64, ptr %header, i64 7
  %array_type = load i64, ptr %at_type
  %layout = getelementptr i64, ptr %header, i64 8
  %operands = add i64 %arrays, %results
  %bases = alloca ptr, i64 %operands
  %table = alloca ptr, i64 %arrays
  %rest_table = alloca ptr, i64 %arrays
  %room_bytes = mul i64 %arrays, 128
  %rest_room = alloca i8, i64 %room_bytes, align 64
  %lanes_bytes = mul i64 %results, 128
  %lanes = alloca i8, i64 %lanes_bytes, align 64
  %totals = alloca double, i64 %results
  br label %find
find:
  %n = phi i64 [0, %entry], [%n_after, %found]
  %at = add i64 %n, 4
  %at_object = getelementptr ptr, ptr %objects, i64 %at
  %object = load ptr, ptr %at_object
  %is_array = icmp slt i64 %n, %arrays
  br i1 %is_array, label %described, label %expected
described:
  %n_at = mul i64 %n, 3
  %n_layout = getelementptr i64, ptr %layout, i64 %n_at
  %n_at_type = getelementptr i64, ptr %n_layout, i64 2
  %named = load i64, ptr %n_at_type
  %is_result = icmp slt i64 %named, 0
  %type_here = select i1 %is_result, i64 %array_type, i64 %named
  br label %expected
expected:
  %type = phi i64 [%array_type, %find], [%type_here, %described]
  %numbers = call ptr @numbers(ptr %object, i64 %type, i64 %array_type)
  %missing = icmp eq ptr %numbers, null
  br i1 %missing, label %refused, label %found
found:
  %slot = getelementptr ptr, ptr %bases, i64 %n
  store ptr %numbers, ptr %slot
  %n_after = add i64 %n, 1
  %more = icmp slt i64 %n_after, %operands
  br i1 %more, label %find, label %ready
ready:
  %alone = icmp eq i64 %releases, 0
  br i1 %alone, label %held, label %released
held:
  call void @rows(ptr %header, i64 %first, i64 %last, i64 %slice, ptr %bases, ptr %table,
                  ptr %rest_table, ptr %rest_room, ptr %lanes, ptr %totals)
  br label %done
released:
  %thread = call ptr @PyEval_SaveThread()
  call void @rows(ptr %header, i64 %first, i64 %last, i64 %slice, ptr %bases, ptr %table,
                  ptr %rest_table, ptr %rest_room, ptr %lanes, ptr %totals)
  call void @PyEval_RestoreThread(ptr %thread)
  br label %done
done:
  %zero = call ptr @PyLong_FromLong(i64 0)
  ret ptr %zero
refused:
  %one = call ptr @PyLong_FromLong(i64 1)
  ret ptr %one
}
